/**
 * Paths under the folder of the sandboxes. When the server runs as root, sandboxes are created by users of their own, who have to reach
 * their disks: these folders can be traversed but not listed. The creating process starts inside `root`, so folders above it may be closed
 * to that user.
 */
import { mkdirSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Set explicitly, since the umask restricts the mode given at creation. */
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

  /** @throws when it exists already */
  async makeRun(id: string): Promise<void> {
    await mkdir(this.run(id));
    await mkdir(this.egress(id));
    for (const folder of [this.run(id), this.egress(id)]) await chmod(folder, PASSABLE);
  }

  get disks(): string {
    return join(this.root, 'disks');
  }

  /** The next new disk, created in advance. */
  get spares(): string {
    return join(this.root, 'spares');
  }

  get runs(): string {
    return join(this.root, 'run');
  }

  /** One file per ended sandbox, created at that moment by the process that outlives it. */
  get ends(): string {
    return join(this.root, 'ends');
  }

  /** The seccomp filter in the kernel's format. */
  get filter(): string {
    return join(this.root, 'filter.bpf');
  }

  /** The shared /etc of all sandboxes. */
  get etc(): string {
    return join(this.root, 'etc');
  }

  get pipes(): string {
    return join(this.root, 'pipes');
  }

  /** Identifies the control groups of this folder. */
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

  /** Error output of the programs that create a sandbox. */
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
