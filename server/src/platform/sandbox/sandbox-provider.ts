/**
 * The interface of all providers of sandboxes.
 *
 * A sandbox is named by its id alone: a provider keeps on disk what it needs to find it again, so that the next process of a
 * host goes on with what the last one left. Whatever fails throws an `ApiError`: `sandbox_provider_error` for trouble of the
 * provider's own, `conflict_error` for a sandbox that is not in the state that is needed.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex, Readable, Writable } from 'node:stream';

export type Limit = 'cpu' | 'memory' | 'pids';
export type Preserved = 'disk' | 'memory' | 'processes';

/** Abilities that were tried on this host and worked. */
export interface ProviderReport {
  readonly name: string;
  readonly available: boolean;
  /** Why it is not available, and what to do about it. */
  readonly reason?: string;
  readonly supportsPause: boolean;
  /** The state that a pause keeps. */
  readonly preserves: readonly Preserved[];
  /** Limits that can be enforced. */
  readonly limits: readonly Limit[];
  /** The isolation between two sandboxes. `process`: one kernel, shared with the server. */
  readonly isolation: 'process' | 'container' | 'vm';
}

export interface SandboxSpec {
  readonly id: string;
  /** The disk of the runtime. Its files survive the sandbox, and the next sandbox with the same disk finds them. */
  readonly diskId: string;
  /** Disks that share a bound, such as those of one organization; without it the disk has only its own bound. */
  readonly diskGroup?: { readonly id: string; readonly maxBytes: number } | undefined;
  readonly hostname: string;
  /** Those that are to be held; the provider refuses what it cannot. */
  readonly limits: SandboxLimits;
  readonly hasWorkspace: boolean;
  /** Hosts that may be reached, such as `pypi.org`, `*.example.com`, `example.com:8443`; none: no network at all. */
  readonly egressAllow: readonly string[];
  /** Whether its programs reach the platform, at the address of the egress proxy. */
  readonly hasPlatformAccess?: boolean | undefined;
}

export interface SandboxLimits {
  readonly cpuCores?: number;
  readonly memoryMb?: number;
  readonly pids?: number;
}

export interface Command {
  /** A program of the sandbox's PATH, or a path in it, and its arguments. */
  readonly argv: readonly [string, ...string[]];
  /** Absolute. */
  readonly cwd: string;
  /** The whole of it, but for PATH, HOME, USER, LANG and the proxy, which are added where they are not given. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A command that runs. What it leaves running in the background lives on when it has ended. */
export interface Execution {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves once it has ended and what it wrote can be read to its end; never rejects. */
  readonly exit: Promise<Exit>;
  /** Ends it, and what it started, where that did not leave its session. */
  kill(): void;
}

export interface Exit {
  /** 127: no such program; 128 + n: ended by signal n. */
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
  /** Gives both outputs of the program, as the terminal renders them. */
  readonly output: Readable;
  /** Resolves once it has ended and what it showed can be read to its end; never rejects. */
  readonly exit: Promise<Exit>;
  resize(size: TerminalSize): Promise<void>;
  /** Hangs up: ends the program, and what it started, where that did not leave its session. */
  kill(): void;
}

/** The files of a capability, shown in a sandbox at `/capabilities/<path>`, where it cannot change them. */
export interface CapabilityFolder {
  /** `name`, or `owner/name`. */
  readonly path: string;
  /** The digest of the version: the same digest has the same files. */
  readonly digest: string;
  /** One after the other, and only where they are not there yet. Paths are relative, with `/`. */
  readonly files: () => AsyncIterable<CapabilityFile>;
}

export interface CapabilityFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly content: Readable;
}

export type Sight =
  | { readonly state: 'running' | 'paused' }
  /** @property endedAt undefined where nobody knows */
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
  /** Why not. */
  readonly reason?: string;
}

export interface SandboxEvents {
  /**
   * It has ended by itself: its first process is gone. What it left is removed once this resolves; told again when it rejects.
   *
   * @param reason in words, where the provider ended it
   */
  readonly ended: (id: string, endedAt: Date, reason?: string) => void | Promise<void>;
  readonly egress: (id: string, entry: EgressEntry) => void;
  /** A program in a sandbox with platform access sends a request to the platform. The connection tells which sandbox it is. */
  readonly platform?: PlatformHandler;
}

export type PlatformHandler = (id: string, request: IncomingMessage, response: ServerResponse) => void;

export interface SandboxProvider {
  readonly name: string;
  /** Tries everything that it claims; asked once when a host starts. */
  probe(): Promise<ProviderReport>;
  /** Resolves when commands can be run in it. A start that fails leaves nothing behind but the disk. */
  start(spec: SandboxSpec): Promise<void>;
  /** Takes up one that another process started. @returns what it found; a `gone` one has left nothing behind */
  adopt(id: string): Promise<Sight>;
  look(id: string): Promise<Sight>;
  exec(id: string, command: Command): Promise<Execution>;
  /** Kept apart from commands: it has one output, and a size. */
  openTerminal(id: string, command: Command, size: TerminalSize): Promise<TerminalProcess>;
  /** A connection to what listens inside at this port of its loopback. `bad_gateway_error` where nothing does. */
  connect(id: string, port: number): Promise<Duplex>;
  /**
   * Makes `/capabilities` show these and no others, beside `bindings.json`. What is there already stays as it is; what comes is
   * seen when it is whole; what goes may still be used by processes that have it open. Done again, it does nothing.
   *
   * @param bindings the text of that file, for programs inside
   */
  setCapabilities(id: string, folders: readonly CapabilityFolder[], bindings: string): Promise<void>;
  /** No process of it runs when this resolves; all of them, and their memory, are kept. */
  pause(id: string): Promise<void>;
  resume(id: string): Promise<void>;
  /** Resolves once nothing of it is left but its disk: no process, mount, cgroup, socket. Again, or of none, does nothing. */
  kill(id: string): Promise<void>;
  stats(id: string): Promise<SandboxStats>;
  /** Those that left anything on this host, living or not. */
  list(): Promise<string[]>;
  removeDisk(diskId: string): Promise<void>;
  /**
   * Replaces everything on a disk that no sandbox uses by what a new disk has, except `/workspace`, whose files stay where they
   * are. It may be repeated. `sandbox_provider_error` where the disk has no workspace.
   */
  keepOnlyWorkspace(diskId: string): Promise<void>;
  /** Disks that are there. */
  listDisks(): Promise<string[]>;
  /** @returns bytes; 0 for a disk that is not there */
  measureDisk(diskId: string): Promise<number>;
  /** Lets go of them; they live on. */
  close(): Promise<void>;
}
