/** An operation that returns chunked JSON or an event stream, for tests of both. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { ApiError } from '../src/platform/errors.ts';
import { orgRoutes } from '../src/platform/http/operations.ts';
import type { ErrorForm } from '../src/platform/http/responses/error-forms.ts';
import { ErrorResponse } from '../src/platform/http/responses/error-responses.ts';
import { Reply } from '../src/platform/http/responses/reply.ts';

const Question = z.looseObject({
  stream: z.boolean().default(false),
  /** Number of chunks, and the length of each. */
  pieces: z.int().default(1),
  length: z.int().default(1),
  fail_after: z.int().optional(),
  /** Waits after the last chunk, for tests of clients that disconnect. */
  wait: z.boolean().default(false),
});

type Question = z.output<typeof Question>;

const NumberResponse = z.object({ number: z.int() }).meta({ id: 'Answered' });

export interface RequestsSeen {
  /** Chunks that were produced. */
  made: number;
  /** Chunk generators that have ended in any way. */
  ended: number;
  aborted: string[];
}

/** Repeats the error type in a field of its own. */
export const TEST_ERRORS: ErrorForm = {
  below: '/answers',
  schema: ErrorResponse.extend({ again: z.string() }).meta({ id: 'TestErrorResponse' }),
  extend: (envelope, { reason }) => ({ ...envelope, again: reason ?? envelope.type }),
};

/** @param sent called when bytes are sent */
export function numberRoutes(seen: RequestsSeen, sent?: () => void) {
  return orgRoutes(
    'Answers',
    (on) => {
      on.post(
        '/answers/own',
        {
          id: 'answerOwn',
          summary: 'Answer',
          scope: 'inference:write',
          role: 'member',
          body: Question,
          largeBody: { maxBytes: 1024 * 1024, isVerbatim: true },
          watched: true,
          returns: { oneOf: { 'application/json': NumberResponse, 'text/event-stream': NumberResponse } },
          idempotency: false,
        },
        async ({ body, signal }) => {
          signal.addEventListener('abort', () => seen.aborted.push((signal.reason as Error).name));
          const headers = { 'x-answer': 'own' };
          if (body.stream) return Reply.events(makePieces(body, signal, seen), headers);
          if (body.fail_after === 0) throw broken();
          if (body.wait) await waitFor(signal);
          const json = Buffer.from(JSON.stringify(body) + ' '.repeat(body.length - 1));
          return Reply.bytes('application/json', json, headers, sent);
        },
      );
    },
    TEST_ERRORS,
  );
}

const broken = () => new ApiError('conflict_error', 'It broke on the way.', { reason: 'broken' });

const waitFor = (signal: AbortSignal) =>
  sleep(60_000, undefined, { signal }).catch(() => {
    throw signal.reason;
  });

async function* makePieces(body: Question, signal: AbortSignal, seen: RequestsSeen): AsyncGenerator<Buffer> {
  try {
    for (let number = 0; number < body.pieces; number++) {
      if (body.fail_after === number) throw broken();
      seen.made++;
      yield Buffer.from(`data: ${JSON.stringify({ number, text: 'x'.repeat(body.length) })}\n\n`);
    }
    if (body.wait) await waitFor(signal);
  } finally {
    seen.ended++;
  }
}
