/** The way into the namespaces of a sandbox that lives: open folders of two of its processes, whose numbers may be reused. */
import { closeSync, openSync } from 'node:fs';
import { findProcess, isAlive } from '../process-table.ts';
import type { SandboxProcesses } from './record.ts';

/** In the order in which a command is given them. */
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
      // Opened first and looked at then: the folder stays that of whoever it was opened for.
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

  /** The user namespace to enter, the one to live in, and the others; the caller closes them. @throws when it has ended */
  openNamespaces(): number[] {
    return this.open([
      `${this.holder}/ns/user`,
      `${this.first}/ns/user`,
      ...NAMESPACES.map((kind) => `${this.first}/ns/${kind}`),
    ]);
  }

  /** The user namespace to enter, and its network; the caller closes them. @throws when it has ended */
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

  /** Once: afterwards the numbers may be those of other files. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    closeSync(this.holder);
    closeSync(this.first);
  }
}
