/** Interface of a client attached to a local or remote terminal: its output, and its input. */
import { z } from 'zod';
import type { Command, TerminalSize } from '../../platform/sandbox/sandbox-provider.ts';

/** Opens a terminal, or attaches to an existing one. */
export interface TerminalRequest {
  /** Omit to open a new terminal. */
  readonly terminalId?: string | undefined;
  /** Number of the first byte to send; 0 for a new terminal. */
  readonly after: number;
  /** Omit to keep the size of an existing terminal. */
  readonly size?: TerminalSize | undefined;
  /** Whether output is kept until it was acknowledged, and the program blocked until then. */
  readonly acknowledges: boolean;
  /** Command of a new terminal. */
  readonly command: Command;
}

/** Why the output has ended. */
export const LinkEnd = z.discriminatedUnion('kind', [
  /** The program has ended and its output was read completely. */
  z.object({ kind: z.literal('exit'), code: z.int() }),
  /** Another client has attached. */
  z.object({ kind: z.literal('taken_over') }),
  /** The host was lost or is stopping. */
  z.object({ kind: z.literal('lost') }),
  z.object({ kind: z.literal('detached') }),
]);
export type LinkEnd = z.output<typeof LinkEnd>;

export interface TerminalLink {
  readonly terminalId: string;
  /** Number of the first byte that will be sent. */
  readonly offset: number;
  /** Number of requested bytes that are no longer available. */
  readonly lost: number;
  /** Resolves with the next output; undefined at the end. The program is blocked while nobody reads. */
  read(): Promise<Buffer | undefined>;
  /** Resolves when more input may be sent. */
  write(bytes: Buffer): Promise<void>;
  resize(size: TerminalSize): void;
  /** Confirms that all bytes before this number have arrived. */
  acknowledge(offset: number): void;
  readonly ended: Promise<LinkEnd>;
  /** Detaches; the program keeps running. */
  detach(): void;
  /** Ends the program. */
  hangUp(): void;
}

/** The client has disconnected, and no other client knows the id of a new terminal. */
export function abandon(link: TerminalLink, { terminalId }: TerminalRequest): void {
  if (terminalId === undefined) link.hangUp();
  link.detach();
}
