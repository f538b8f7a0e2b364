/** Query parameters of terminals, and the messages on their WebSocket. */
import { z } from 'zod';
import { Uuid } from '../../platform/fields.ts';

/** Subprotocol of terminals. A browser sends its credential as another subprotocol. */
export const TERMINAL_PROTOCOL = 'drydock.terminal';

const MAX_COMMAND = 8_000;
const Extent = z.int().min(1).max(1_000);

export const TerminalQuery = z.object({
  terminal_id: Uuid.optional().describe('Of one that was opened before; without it a new one is opened'),
  after: z
    .int()
    .min(0)
    .default(0)
    .describe('How many bytes of its output you have; what comes after them is sent'),
  columns: Extent.optional().describe('80 by default; an existing terminal keeps its size'),
  rows: Extent.optional().describe('24 by default; an existing terminal keeps its size'),
  command: z
    .string()
    .min(1)
    .max(MAX_COMMAND)
    .optional()
    .describe('Command line for bash, in place of a login shell; for a new terminal'),
  acknowledges: z
    .boolean()
    .default(false)
    .describe(
      'You send `ack`s: what you have not acknowledged is kept for you, and the program is held up rather than any of it lost. ' +
        'While more than 1 MiB that you typed waits for the program, what was sent counts as acknowledged',
    ),
});
export type TerminalQueryOf = z.output<typeof TerminalQuery>;

/** Text messages from the client; input is sent as binary messages. */
export const ClientMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('resize'), columns: Extent, rows: Extent }),
  z.object({ type: z.literal('ack'), offset: z.int().min(0) }),
  z.object({ type: z.literal('hang_up') }),
  /** Returns a `pong`, for clients that cannot see the pings of the WebSocket protocol. */
  z.object({ type: z.literal('ping') }),
]);

/** Text messages to the client; output is sent as binary messages. */
export type ServerMessage =
  | {
      readonly type: 'attached';
      readonly terminal_id: string;
      /** Number of the first byte that will be sent. */
      readonly offset: number;
      /** Number of requested bytes that are no longer available. */
      readonly lost: number;
    }
  | { readonly type: 'exit'; readonly code: number }
  | { readonly type: 'pong' }
  /** @property code the close code of the connection */
  | { readonly type: 'error'; readonly code: number; readonly detail: string };

/** Close codes of the server. */
export const CLOSES = {
  /** The program has ended. */
  ended: 1000,
  /** The server is stopping. */
  restart: 1012,
  badMessage: 4400,
  /** The credential of the client has expired or was revoked. The terminal keeps running. */
  credential: 4401,
  /** The client may no longer use the runtime. The terminal is ended. */
  forbidden: 4403,
  takenOver: 4409,
  hostLost: 4502,
} as const;
