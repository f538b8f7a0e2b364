/** Server-sent events on the wire: how they are written, where a reader wants to go on, how they are documented. */
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { StoredEvent } from '../events/event-log.ts';
import type { ErrorEnvelope } from './error-answers.ts';
import { invalidValue } from './errors.ts';
import type { EventTypes } from './operations.ts';

/** Tells that the connection lives, to the reader and to every proxy in between. */
export const HEARTBEAT = ': \n\n';

export const EventHeaders = z.object({
  'last-event-id': z.string().optional().describe('The id of the last event that you have'),
});

const seqPattern = /^\d{1,15}$/;

/** JSON escapes line breaks, so each is one line. */
export const toFrame = ({ seq, type, data }: StoredEvent) =>
  `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

/** Without an id, so that a reader who comes back goes on where it was. */
export const toErrorFrame = (error: ErrorEnvelope) => `event: error\ndata: ${JSON.stringify(error)}\n\n`;

export const toRetryFrame = (milliseconds: number) => `retry: ${Math.round(milliseconds)}\n\n`;

/** The number of the last event that the reader has; 0 for the beginning. */
export function readLastEventId(headers: IncomingHttpHeaders): number {
  const given = headers['last-event-id'] ?? '';
  if (given === '') return 0;
  if (typeof given === 'string' && seqPattern.test(given)) return Number(given);
  throw invalidValue(['header', 'last-event-id'], 'must be the id of an event of this stream');
}

export function describeEvents(types: EventTypes) {
  const shapes = Object.entries(types).map(([type, data]) =>
    z.object({ id: z.string().describe('Its number in the stream'), event: z.literal(type), data }),
  );
  return {
    200: {
      description: 'Success',
      content: {
        'text/event-stream': {
          schema: z
            .union(shapes)
            .describe(
              'Server-sent events, each of one of these types, in order. Last-Event-ID resumes after that event. ' +
                'A last event "error" holds an ErrorResponse when the caller may read no further.',
            ),
        },
      },
    },
    204: z.null().describe('The stream has ended, and there is nothing after Last-Event-ID'),
  };
}
