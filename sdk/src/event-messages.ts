/** Events of one open response, as they arrive; the caller decides what its end means. */
import { fromEnvelope, parseJson, unexpectedResponse } from './error-responses.ts';
import { EventParser, type Message, type RetryMessage } from './event-parser.ts';
import { startTimer } from './time-limits.ts';

export const EVENT_STREAM = 'text/event-stream';
export const IDLE_TIMEOUT_MS = 60_000;

export interface OpenResponse {
  readonly response: Response;
  /** Name of the request, for errors. */
  readonly name: string;
  /** Aborted here after too long a silence. */
  readonly end: AbortController;
  readonly idleTimeoutMs?: number | undefined;
  /** Called for everything received, including heartbeats. */
  readonly onLife?: () => void;
}

/** Yields messages until the connection ends or breaks. */
export async function* readMessages(
  opened: OpenResponse,
): AsyncGenerator<Message | RetryMessage, void, undefined> {
  const { response, name, onLife } = opened;
  if (!response.headers.get('content-type')?.startsWith(EVENT_STREAM)) {
    throw unexpectedResponse(response, name, 'The response is not an event stream.');
  }
  const parser = new EventParser();
  for await (const text of readTexts(opened)) {
    onLife?.();
    for (const message of parser.push(text)) {
      if (message.kind === 'overflow') {
        throw unexpectedResponse(response, name, 'An event exceeds the maximum length.');
      }
      yield message;
    }
  }
}

/** Throws the error contained in an `error` event. */
export function readData({ id, type, data }: Message, response: Response, name: string): unknown {
  const value = parseJson(data);
  if (type === 'error') throw fromEnvelope(value, response, name);
  if (value === undefined) {
    throw unexpectedResponse(response, name, `The data of event "${id ?? type}" is not JSON.`);
  }
  return value;
}

async function* readTexts({
  response,
  end,
  idleTimeoutMs = IDLE_TIMEOUT_MS,
}: OpenResponse): AsyncGenerator<string, void, undefined> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  const readChunk = async () => {
    // The timer runs only while waiting: a slow loop body is not a failure of the connection.
    const stopTimer = startTimer(idleTimeoutMs, () => end.abort());
    try {
      return await reader?.read();
    } catch {
      return undefined; // a broken connection is treated like an ended one
    } finally {
      stopTimer();
    }
  };
  for (let chunk = await readChunk(); chunk && !chunk.done; chunk = await readChunk()) {
    yield decoder.decode(chunk.value as Uint8Array, { stream: true });
  }
}
