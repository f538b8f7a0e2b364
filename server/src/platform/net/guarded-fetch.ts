/** `fetch` for libraries that take one, on the guarded client. */
import type { AnswerBody } from './answer-body.ts';
import type { GuardedClient, OutboundAnswer, Patience } from './guarded-client.ts';
import { OutboundError } from './outbound-error.ts';

/** Statuses whose answers have no body, for which `Response` takes none. */
const WITHOUT_BODY = new Set([101, 204, 205, 304]);

/**
 * As the global one, but that it refuses addresses that are not public and answers redirects as they are. What fails is a `TypeError`
 * "fetch failed", as there, whose cause is an `OutboundError`; once aborted, the signal's reason.
 */
export function createGuardedFetch(client: GuardedClient, patience: Patience): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const body = request.body ? new Uint8Array(await request.arrayBuffer()) : undefined;
    const { signal } = request;
    const headers = Object.fromEntries(request.headers);
    try {
      const answer = await client.send({
        url: new URL(request.url),
        method: request.method,
        headers,
        body,
        patience,
        signal,
      });
      return toResponse(answer);
    } catch (error) {
      throw toFetchError(error);
    }
  };
}

function toResponse({ status, headers, body }: OutboundAnswer): Response {
  try {
    if (WITHOUT_BODY.has(status)) body.release();
    const content = WITHOUT_BODY.has(status) ? null : toStream(body);
    return new Response(content, { status, headers: toHeaders(headers) });
  } catch (error) {
    // Nobody gets it who could read it.
    body.release();
    throw error;
  }
}

function toStream(body: AnswerBody): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await body.next();
        if (done) controller.close();
        else controller.enqueue(new Uint8Array(value));
      } catch (error) {
        controller.error(toFetchError(error));
      }
    },
    cancel: async () => void (await body.return()),
  });
}

function toHeaders(given: NodeJS.Dict<string | string[]>): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(given)) {
    // The body is decoded already, and of another length.
    if (name === 'content-encoding' || name === 'content-length' || name === 'transfer-encoding') continue;
    for (const value of [values].flat()) headers.append(name, value);
  }
  return headers;
}

const toFetchError = (error: unknown) =>
  error instanceof OutboundError ? new TypeError('fetch failed', { cause: error }) : error;
