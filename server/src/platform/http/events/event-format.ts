/** Wire format of server-sent events: writing events, reading the resume position, documentation. */
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { invalidValue } from '../../errors.ts';
import type { StoredEvent } from '../../events/event-log.ts';
import type { EventTypes, Progress } from '../operations.ts';
import type { ErrorBody } from '../responses/error-responses.ts';

/** Shows the reader and every proxy in between that the connection is alive. */
export const HEARTBEAT = ': \n\n';

export const EventHeaders = z.object({
  'last-event-id': z
    .string()
    .optional()
    .describe(
      'The id of the last event that you have. `latest` leaves out everything before now: an event `start` comes first, with an id to resume from.',
    ),
});

/** Position of a reader: the number of its last event, and its history when reported. */
export interface Cursor {
  readonly seq: number;
  /** True for a reader that starts after the last existing event. */
  readonly isLatest?: boolean;
  readonly history: string | undefined;
}

const cursorPattern = /^(\d{1,15})(?:-([0-9a-z]{1,32}))?$/;

/** JSON escapes line breaks, so each value is one line. */
export const toFrame = (
  { seq, type, data }: Pick<StoredEvent, 'seq' | 'type' | 'data'>,
  history: string | undefined,
) => `id: ${seq}${history ? `-${history}` : ''}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

/** Frame without an id: for events that cannot be requested again, or after which a reader resumes where it was. */
export const toPassingFrame = (type: string, data: unknown) =>
  `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

/** Frame without a type, for readers that do not handle event types. */
export const toUnnamedFrame = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;

export const toErrorFrame = (error: ErrorBody) => toPassingFrame('error', error);

export const toRetryFrame = (milliseconds: number) => `retry: ${Math.round(milliseconds)}\n\n`;

/** Reads the number of the reader's last event; 0 for the beginning. */
export function readLastEventId(headers: IncomingHttpHeaders): Cursor {
  const given = headers['last-event-id'] ?? '';
  if (given === '') return { seq: 0, history: undefined };
  if (given === 'latest') return { seq: 0, isLatest: true, history: undefined };
  const [, seq, history] = (typeof given === 'string' && cursorPattern.exec(given)) || [];
  if (seq !== undefined) return { seq: Number(seq), history };
  throw invalidValue(['header', 'last-event-id'], 'must be the id of an event of this stream, or `latest`');
}

export function describeEvents(types: EventTypes) {
  const shapes = Object.entries(types).map(([type, data]) =>
    z.object({ id: z.string().describe('Where to go on after this event'), event: z.literal(type), data }),
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

/** Documents the event stream next to the JSON response. */
export function describeProgress({ events, end }: Progress): z.ZodType {
  const shapes = Object.entries({ ...events, [end.type]: end.data }).map(([type, data]) =>
    z.object({ event: z.literal(type), data }),
  );
  return z
    .union(shapes)
    .describe(
      `Server-sent events while it works, for clients that accept text/event-stream. The last is "${end.type}", or "error" ` +
        'with an ErrorResponse where it failed after the first. They cannot be replayed.',
    );
}
