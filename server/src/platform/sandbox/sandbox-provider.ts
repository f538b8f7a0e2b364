/**
 * The interface of all sandbox providers. A sandbox is identified by its id alone: a provider keeps on disk what it needs to find it again,
 * so that the next process of a host continues where the last one stopped. Every failure throws an `ApiError`: `sandbox_provider_error` for
 * problems of the provider itself, `conflict_error` for a sandbox in the wrong state.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex, Readable, Writable } from 'node:stream';

export type Limit = 'cpu' | 'memory' | 'pids';
export type Preserved = 'disk' | 'memory' | 'processes';

/** Abilities that were tried on this host and worked. */
export interface ProviderReport {
  readonly name: string;
  readonly available: boolean;
  /** Why the provider is not available, and what to do about it. */
  readonly reason?: string;
  readonly supportsPause: boolean;
  /** State that a pause preserves. */
  readonly preserves: readonly Preserved[];
  /** Limits that can be enforced. */
  readonly limits: readonly Limit[];
  /** Isolation between two sandboxes. `process`: one kernel, shared with the server. */
  readonly isolation: 'process' | 'container' | 'vm';
}

export interface SandboxSpec {
  readonly id: string;
  /** Disk of the runtime. Its files survive the sandbox, and the next sandbox with the same disk finds them. */
  readonly diskId: string;
  /** Disks that share a limit, such as those of one organization; a disk without a group has only its own limit. */
  readonly diskGroup?: { readonly id: string; readonly maxBytes: number } | undefined;
  readonly hostname: string;
  /** Limits to enforce; the provider refuses those that it cannot enforce. */
  readonly limits: SandboxLimits;
  readonly hasWorkspace: boolean;
  /** Hosts that may be reached, such as `pypi.org`, `*.example.com`, `example.com:8443`; empty: no network at all. */
  readonly egressAllow: readonly string[];
  /** True when its programs reach the platform, at the address of the egress proxy. */
  readonly hasPlatformAccess?: boolean | undefined;
}

export interface SandboxLimits {
  readonly cpuCores?: number;
  readonly memoryMb?: number;
  readonly pids?: number;
}

export interface Command {
  /** A program in the sandbox's PATH, or its path, and the arguments. */
  readonly argv: readonly [string, ...string[]];
  /** Absolute path of the working folder. */
  readonly cwd: string;
  /** The complete environment, except PATH, HOME, USER, LANG and the proxy, which are added when missing. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A running command. Its background processes survive its end. */
export interface Execution {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when it has ended and its output can be read to the end; never rejects. */
  readonly exit: Promise<Exit>;
  /** Ends the command and the processes in its session. */
  kill(): void;
}

export interface Exit {
  /** 127: program not found; 128 + n: ended by signal n. */
  readonly code: number;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** A program at a terminal of its own. */
export interface TerminalProcess {
  /** Takes what the user types. */
  readonly input: Writable;
  /** Both outputs of the program, as rendered by the terminal. */
  readonly output: Readable;
  /** Resolves when it has ended and its output can be read to the end; never rejects. */
  readonly exit: Promise<Exit>;
  resize(size: TerminalSize): Promise<void>;
  /** Hangs up: ends the program and the processes in its session. */
  kill(): void;
}

/** Files of a capability, visible in a sandbox at `/capabilities/<path>`, where it cannot change them. */
export interface CapabilityFolder {
  /** `name`, or `owner/name`. */
  readonly path: string;
  /** Digest of the version: the same digest means the same files. */
  readonly digest: string;
  /** Yields the files one after the other; called only when they are missing. Paths are relative, with `/`. */
  readonly files: () => AsyncIterable<CapabilityFile>;
}

export interface CapabilityFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly content: Readable;
}

export type SandboxState =
  | { readonly state: 'running' | 'paused' }
  /** @property endedAt undefined when unknown */
  | { readonly state: 'gone'; readonly endedAt: Date | undefined };

export interface SandboxStats {
  readonly processes: number;
  readonly memoryBytes: number | undefined;
  readonly cpuSeconds: number | undefined;
}

/** A connection that a sandbox asked for. */
export interface EgressEntry {
  readonly at: Date;
  readonly host: string;
  readonly port: number;
  readonly isAllowed: boolean;
  /** Reason of a refusal. */
  readonly reason?: string;
}

export interface SandboxEvents {
  /**
   * Called when a sandbox has ended by itself: its first process is gone. Its remains are removed when this resolves; called again when it
   * rejects.
   * @param reason in words, when the provider ended it
   */
  readonly ended: (id: string, endedAt: Date, reason?: string) => void | Promise<void>;
  readonly egress: (id: string, entry: EgressEntry) => void;
  /** Handles a request to the platform from a program in a sandbox with platform access. The connection identifies the sandbox. */
  readonly platform?: PlatformHandler;
}

export type PlatformHandler = (id: string, request: IncomingMessage, response: ServerResponse) => void;

export interface SandboxProvider {
  readonly name: string;
  /** Tries every claimed feature; called once when a host starts. */
  probe(): Promise<ProviderReport>;
  /** Resolves when commands can be run in it. A failed start leaves nothing behind but the disk. */
  start(spec: SandboxSpec): Promise<void>;
  /**
   * Takes over a sandbox that another process started.
   * @returns its state; a `gone` one has left nothing behind
   */
  adopt(id: string): Promise<SandboxState>;
  inspect(id: string): Promise<SandboxState>;
  exec(id: string, command: Command): Promise<Execution>;
  /** Separate from commands, since a terminal has one output, and a size. */
  openTerminal(id: string, command: Command, size: TerminalSize): Promise<TerminalProcess>;
  /** Connects to this port of the sandbox's loopback interface. Throws `bad_gateway_error` when nothing listens there. */
  connect(id: string, port: number): Promise<Duplex>;
  /**
   * Makes `/capabilities` show exactly these folders, and `bindings.json`. Existing folders stay unchanged; new ones become visible when
   * complete; processes may keep using removed ones that they have open. Idempotent.
   * @param bindings text of that file, for programs inside
   */
  setCapabilities(id: string, folders: readonly CapabilityFolder[], bindings: string): Promise<void>;
  /** Resolves when none of its processes runs; the processes and their memory are kept. */
  pause(id: string): Promise<void>;
  resume(id: string): Promise<void>;
  /** Resolves when nothing of it is left except its disk: no process, mount, cgroup, socket. Idempotent, also for unknown ids. */
  kill(id: string): Promise<void>;
  stats(id: string): Promise<SandboxStats>;
  /** Lists sandboxes that left anything on this host, running or not. */
  list(): Promise<string[]>;
  removeDisk(diskId: string): Promise<void>;
  /**
   * Replaces everything on an unused disk by the content of a new disk, except `/workspace`, whose files stay in place. Can be repeated.
   * Throws `sandbox_provider_error` when the disk has no workspace.
   */
  keepOnlyWorkspace(diskId: string): Promise<void>;
  /** Lists existing disks. */
  listDisks(): Promise<string[]>;
  /** @returns bytes; 0 for a disk that does not exist */
  measureDisk(diskId: string): Promise<number>;
  /** Releases the sandboxes, which keep running. */
  close(): Promise<void>;
}
