/**
 * Where things lie under the folder of the sandboxes.
 *
 * As root, sandboxes are made by users of their own, who have to reach their disks: these folders can be passed through, and
 * nothing in them be listed. Whoever makes a sandbox begins inside `root`, so what lies above may be closed to them.
 */
import { mkdirSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Set by itself: what a folder is made with is cut by the process's umask. */
const PASSABLE = 0o711;

export class Layout {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  async prepare(): Promise<void> {
    mkdirSync(this.root, { recursive: true });
    for (const folder of [this.disks, this.spares, this.runs, this.ends])
      mkdirSync(folder, { recursive: true });
    for (const folder of [this.root, this.disks, this.spares, this.runs, this.ends])
      await chmod(folder, PASSABLE);
  }

  /** @throws when it is there already */
  async makeRun(id: string): Promise<void> {
    await mkdir(this.run(id));
    await mkdir(this.egress(id));
    for (const folder of [this.run(id), this.egress(id)]) await chmod(folder, PASSABLE);
  }

  get disks(): string {
    return join(this.root, 'disks');
  }

  /** The next new disk, made ahead. */
  get spares(): string {
    return join(this.root, 'spares');
  }

  get runs(): string {
    return join(this.root, 'run');
  }

  /** One file for each sandbox that has ended: made at that moment, by what outlives it. */
  get ends(): string {
    return join(this.root, 'ends');
  }

  /** The seccomp filter, as the kernel reads it. */
  get filter(): string {
    return join(this.root, 'filter.bpf');
  }

  /** What all sandboxes see as /etc. */
  get etc(): string {
    return join(this.root, 'etc');
  }

  get pipes(): string {
    return join(this.root, 'pipes');
  }

  /** Names the control groups of this folder. */
  get owner(): string {
    return join(this.root, 'owner');
  }

  disk(diskId: string): string {
    return join(this.disks, diskId);
  }

  run(id: string): string {
    return join(this.runs, id);
  }

  record(id: string): string {
    return join(this.run(id), 'sandbox.json');
  }

  /** What the programs that make a sandbox complain of. */
  complaints(id: string): string {
    return join(this.run(id), 'complaints');
  }

  egress(id: string): string {
    return join(this.run(id), 'egress');
  }

  end(id: string): string {
    return join(this.ends, id);
  }
}
