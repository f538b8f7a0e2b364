/** The entrance to the namespaces of a running sandbox: open /proc folders of two of its processes, whose ids may be reused. */
import { closeSync, openSync } from 'node:fs';
import { findProcess, isAlive } from '../process-table.ts';
import type { SandboxProcesses } from './record.ts';

/** Order in which a command receives the namespaces. */
export const NAMESPACES = ['mnt', 'pid', 'net', 'ipc', 'uts'] as const;

export class Entrance {
  readonly processes: SandboxProcesses;
  private readonly holder: number;
  private readonly first: number;
  private isClosed = false;

  /** @returns undefined when one of the two has ended */
  static open(processes: SandboxProcesses): Entrance | undefined {
    try {
      const entrance = new Entrance(processes);
      // Opened before the check, since an open folder keeps referring to the same process.
      if (isAlive(processes.holder) && isAlive(processes.first)) return entrance;
      entrance.close();
      return undefined;
    } catch {
      return undefined;
    }
  }

  private constructor(processes: SandboxProcesses) {
    this.processes = processes;
    this.holder = openSync(`/proc/${processes.holder.pid}`, 'r');
    try {
      this.first = openSync(`/proc/${processes.first.pid}`, 'r');
    } catch (error) {
      closeSync(this.holder);
      throw error;
    }
  }

  isOpen(): boolean {
    if (this.isClosed) return false;
    const state = findProcess(`self/fd/${this.first}`)?.state;
    return state !== undefined && state !== 'Z' && state !== 'X';
  }

  /**
   * Opens the user namespace to enter, the one to run in, and the others; the caller closes them.
   * @throws when the sandbox has ended
   */
  openNamespaces(): number[] {
    return this.open([
      `${this.holder}/ns/user`,
      `${this.first}/ns/user`,
      ...NAMESPACES.map((kind) => `${this.first}/ns/${kind}`),
    ]);
  }

  /**
   * Opens the user namespace to enter, and the network; the caller closes them.
   * @throws when the sandbox has ended
   */
  openNetwork(): number[] {
    return this.open([`${this.holder}/ns/user`, `${this.first}/ns/net`]);
  }

  private open(paths: readonly string[]): number[] {
    if (this.isClosed) throw new Error('closed');
    const opened: number[] = [];
    try {
      for (const path of paths) opened.push(openSync(`/proc/self/fd/${path}`, 'r'));
      return opened;
    } catch (error) {
      for (const file of opened) closeSync(file);
      throw error;
    }
  }

  /** Runs once: afterwards the numbers may refer to other files. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    closeSync(this.holder);
    closeSync(this.first);
  }
}
