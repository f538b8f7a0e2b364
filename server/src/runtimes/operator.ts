/** Operations on a runtime wherever its sandbox runs: in this process, or on a host reached through its process. */
import type { Duplex } from 'node:stream';
import type { Requested } from '../platform/db/transaction.ts';
import type { Command, Execution } from '../platform/sandbox/sandbox-provider.ts';
import type { PauseReason, StartRequest } from './schema.ts';
import type { TerminalLink, TerminalRequest } from './terminals/terminal-link.ts';

/** The runtime and the caller, whose permission was checked before. */
export interface Target extends Requested {
  readonly organizationId: string;
  readonly runtimeId: string;
  readonly actorId: string;
  /** API key of the caller; null for an access token, and for background work on behalf of the user. */
  readonly apiKeyId?: string | null | undefined;
  readonly requestId: string;
}

/** Location of a running sandbox, according to a caller that has just looked it up. */
export interface SandboxPlace {
  readonly sandboxId: string;
  readonly provider: string;
  readonly hostId: string;
}

/** Called with each step of a state transition when it is made. */
export type Emit = (step: { readonly step: string; readonly message: string }) => void;

/**
 * A state transition resolves when the new state is reached and stored; from a state that does not allow it, it is refused with 409 and
 * changes nothing.
 */
export interface RuntimeOperator {
  start(target: Target, request: StartRequest, emit?: Emit): Promise<void>;
  pause(target: Target, reason: PauseReason, emit?: Emit): Promise<void>;
  resume(target: Target, emit?: Emit): Promise<void>;
  /**
   * Ends the sandbox and removes its disk: the next start begins from scratch. An idle runtime has no sandbox, and no disk if its host is
   * gone.
   */
  reset(target: Target, emit?: Emit): Promise<void>;
  /** @returns the new expiry */
  keepAlive(target: Target, extendSeconds: number): Promise<string>;
  /**
   * Ends the sandbox in any state and keeps the disk; does nothing for an idle runtime.
   * @param sandboxId ends only this sandbox
   */
  end(target: Target, reason: string, sandboxId?: string): Promise<void>;
  /** Ends the sandbox, removes its disk and deletes the runtime. */
  delete(target: Target): Promise<void>;
  /**
   * Gives a new ephemeral runtime the /workspace of an ended one, on the same host and without a copy; nothing else of the ended runtime is
   * kept.
   */
  takeWorkspace(target: Target, fromRuntimeId: string): Promise<void>;
  /**
   * Runs a command with the sandbox's environment added to its own. 409 unless the runtime is running.
   * @param seen saves a lookup of the location, because a command must start without delay
   */
  exec(target: Target, command: Command, seen?: SandboxPlace): Promise<Execution>;
  /** Opens a terminal, or attaches to an existing one. 409 unless the runtime is running; 404 for an unknown terminal. */
  openTerminal(target: Target, request: TerminalRequest, seen?: SandboxPlace): Promise<TerminalLink>;
  /** Fails like `openTerminal` for errors that can be detected before. */
  checkTerminal(target: Target, request: TerminalRequest, seen?: SandboxPlace): Promise<void>;
  /** Connects to a port in the sandbox. 409 unless the runtime is running; 502 if nothing listens. */
  connect(target: Target, port: number, seen?: SandboxPlace): Promise<Duplex>;
  /** Resolves when the sandbox has applied the installed capabilities; does nothing if none runs. */
  setCapabilities(target: Target): Promise<void>;
}
