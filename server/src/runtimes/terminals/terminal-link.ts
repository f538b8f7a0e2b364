/** One who is attached to a terminal, wherever that is: what it shows, and what is typed. */
import { z } from 'zod';
import type { Command, TerminalSize } from '../../platform/sandbox/sandbox-provider.ts';

/** To open one, or to attach to one that is there. */
export interface TerminalRequest {
  /** Without it a new one is opened. */
  readonly terminalId?: string | undefined;
  /** The number of the first byte that is wanted; of a new one there are none before. */
  readonly after: number;
  /** Of one that is there it stays as it is without. */
  readonly size?: TerminalSize | undefined;
  /** What was sent is kept until it was acknowledged, and the program held up meanwhile. */
  readonly acknowledges: boolean;
  /** Of a new one. */
  readonly command: Command;
}

/** Why nothing more comes. */
export const LinkEnd = z.discriminatedUnion('kind', [
  /** Its program has ended, and all that it has shown was read. */
  z.object({ kind: z.literal('exit'), code: z.int() }),
  /** Another has attached. */
  z.object({ kind: z.literal('taken_over') }),
  /** Its host was lost, or stops. */
  z.object({ kind: z.literal('lost') }),
  z.object({ kind: z.literal('detached') }),
]);
export type LinkEnd = z.output<typeof LinkEnd>;

export interface TerminalLink {
  readonly terminalId: string;
  /** The number of the first byte that comes. */
  readonly offset: number;
  /** How many were asked for and are not kept any more. */
  readonly lost: number;
  /** What comes next, once there is something; undefined when nothing more comes. Who does not ask holds up the program. */
  read(): Promise<Buffer | undefined>;
  /** Resolves when more may be typed. */
  write(bytes: Buffer): Promise<void>;
  resize(size: TerminalSize): void;
  /** All before this number has arrived. */
  acknowledge(offset: number): void;
  readonly ended: Promise<LinkEnd>;
  /** Leaves it; its program goes on. */
  detach(): void;
  /** Ends the program. */
  hangUp(): void;
}

/** Who asked for it is not there any more; and of a new one nobody else knows the id. */
export function abandon(link: TerminalLink, { terminalId }: TerminalRequest): void {
  if (terminalId === undefined) link.hangUp();
  link.detach();
}
