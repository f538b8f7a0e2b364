/** What can be done with a runtime, wherever its sandbox lives: here, or on a host that is reached through its process. */
import type { Duplex } from 'node:stream';
import type { Command, Execution } from '../../platform/sandbox/sandbox-provider.ts';
import type { PauseReason, StartRequest } from '../schema.ts';
import type { TerminalLink, TerminalRequest } from '../terminals/terminal-link.ts';

/** Whose runtime, and who asks: that they may was decided before. */
export interface Target {
  readonly organizationId: string;
  readonly runtimeId: string;
  readonly actorId: string;
  /** That they came with; null for an access token, and for what is done on their behalf. */
  readonly apiKeyId?: string | null | undefined;
  readonly requestId: string;
}

/** Where a runtime was seen to run, by who has just looked. */
export interface SandboxPlace {
  readonly sandboxId: string;
  readonly provider: string;
  readonly hostId: string;
}

/** Told of each step of a change of state, as it is made. */
export type Tell = (step: { readonly step: string; readonly message: string }) => void;

/**
 * A change of state resolves once the state is reached and stored; from a state that it does not lead from it is refused as
 * 409, and nothing has changed.
 */
export interface RuntimeOperator {
  start(target: Target, request: StartRequest, tell?: Tell): Promise<void>;
  pause(target: Target, reason: PauseReason, tell?: Tell): Promise<void>;
  resume(target: Target, tell?: Tell): Promise<void>;
  /** Ends its sandbox and takes its disk away: the next start begins anew. An idle one has none, but where its host is gone. */
  reset(target: Target, tell?: Tell): Promise<void>;
  /** @returns when it expires now */
  keepAlive(target: Target, extendSeconds: number): Promise<string>;
  /**
   * Ends its sandbox in whatever state it is; the disk stays. Of an idle one it does nothing.
   *
   * @param sandboxId only where it is still this one
   */
  end(target: Target, reason: string, sandboxId?: string): Promise<void>;
  /** Ends its sandbox, takes its disk away and deletes the runtime. */
  delete(target: Target): Promise<void>;
  /**
   * Gives a new ephemeral runtime the /workspace of an ended one, on the same host and without a copy; nothing else of the ended
   * runtime is left.
   */
  takeWorkspace(target: Target, fromRuntimeId: string): Promise<void>;
  /**
   * The sandbox's environment is added to the command's. 409 unless it runs.
   *
   * @param seen spares a look at where it is: a command is to begin at once
   */
  exec(target: Target, command: Command, seen?: SandboxPlace): Promise<Execution>;
  /** Opens one, or attaches to one that is there. 409 unless it runs; 404 where there is no such terminal. */
  openTerminal(target: Target, request: TerminalRequest, seen?: SandboxPlace): Promise<TerminalLink>;
  /** Fails as that would for what can be known before. */
  checkTerminal(target: Target, request: TerminalRequest, seen?: SandboxPlace): Promise<void>;
  /** To what listens in its sandbox at this port. 409 unless it runs; 502 where nothing listens. */
  connect(target: Target, port: number, seen?: SandboxPlace): Promise<Duplex>;
  /** Resolves once its sandbox shows the capabilities that are installed; does nothing where none runs. */
  setCapabilities(target: Target): Promise<void>;
}
