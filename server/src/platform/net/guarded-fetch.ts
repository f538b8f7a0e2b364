/** `fetch` for libraries that accept a custom one, based on the guarded client. */
import type { GuardedClient, OutboundResponse, Timeouts } from './guarded-client.ts';
import { OutboundError } from './outbound-error.ts';
import type { ResponseBody } from './response-body.ts';

/** Statuses without a body, for which `Response` accepts none. */
const WITHOUT_BODY = new Set([101, 204, 205, 304]);

/**
 * Works like the global `fetch`, but refuses addresses that are not public and returns redirects. A failure is a `TypeError`
 * "fetch failed" whose cause is an `OutboundError`; once aborted, it is the signal's reason.
 */
export function createGuardedFetch(client: GuardedClient, timeouts: Timeouts): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const body = request.body ? new Uint8Array(await request.arrayBuffer()) : undefined;
    const { signal } = request;
    const headers = Object.fromEntries(request.headers);
    try {
      const response = await client.send({
        url: new URL(request.url),
        method: request.method,
        headers,
        body,
        timeouts,
        signal,
      });
      return toResponse(response);
    } catch (error) {
      throw toFetchError(error);
    }
  };
}

function toResponse({ status, headers, body }: OutboundResponse): Response {
  try {
    if (WITHOUT_BODY.has(status)) body.release();
    const content = WITHOUT_BODY.has(status) ? null : toStream(body);
    return new Response(content, { status, headers: toHeaders(headers) });
  } catch (error) {
    body.release();
    throw error;
  }
}

function toStream(body: ResponseBody): ReadableStream<Uint8Array> {
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
    // The body is decoded, so its length differs.
    if (name === 'content-encoding' || name === 'content-length' || name === 'transfer-encoding') continue;
    for (const value of [values].flat()) headers.append(name, value);
  }
  return headers;
}

const toFetchError = (error: unknown) =>
  error instanceof OutboundError ? new TypeError('fetch failed', { cause: error }) : error;
