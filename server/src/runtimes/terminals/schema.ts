/** What is asked of a terminal, and what is said on its WebSocket. */
import { z } from 'zod';
import { Uuid } from '../../platform/fields.ts';

/** The subprotocol that is spoken. A browser sends its credential as another one beside it. */
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
  columns: Extent.optional().describe('80 unless said; of one that was opened before: as it is'),
  rows: Extent.optional().describe('24 unless said; of one that was opened before: as it is'),
  command: z
    .string()
    .min(1)
    .max(MAX_COMMAND)
    .optional()
    .describe('A line for bash, in place of a login shell; of a new one'),
  acknowledges: z
    .boolean()
    .default(false)
    .describe(
      'You send `ack`s: what you have not acknowledged is kept for you, and the program is held up rather than any of it lost. ' +
        'While more than 1 MiB that you typed waits for the program, what was sent counts as acknowledged',
    ),
});
export type TerminalQueryOf = z.output<typeof TerminalQuery>;

/** Text from the client; what is typed comes as binary messages. */
export const ClientMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('resize'), columns: Extent, rows: Extent }),
  z.object({ type: z.literal('ack'), offset: z.int().min(0) }),
  z.object({ type: z.literal('hang_up') }),
  /** Answered with `pong`: for clients that cannot see the pings of the protocol itself. */
  z.object({ type: z.literal('ping') }),
]);

/** Text to the client; what is shown comes as binary messages. */
export type ServerMessage =
  | {
      readonly type: 'attached';
      readonly terminal_id: string;
      /** The number of the first byte that comes. */
      readonly offset: number;
      /** How many bytes were asked for and are not kept any more. */
      readonly lost: number;
    }
  | { readonly type: 'exit'; readonly code: number }
  | { readonly type: 'pong' }
  /** @property code as the connection is closed with */
  | { readonly type: 'error'; readonly code: number; readonly detail: string };

/** Why the server closes a connection. */
export const CLOSES = {
  /** The program has ended. */
  ended: 1000,
  /** The server stops. */
  restart: 1012,
  badMessage: 4400,
  /** Of who is attached: it has expired, or was revoked. The terminal goes on. */
  credential: 4401,
  /** Whoever is attached may not use the runtime any more. The terminal is ended. */
  forbidden: 4403,
  takenOver: 4409,
  hostLost: 4502,
} as const;
