/** The events of one open answer, as they come; whoever reads them decides what the end of it means. */
import { fromEnvelope, parseJson, unexpectedAnswer } from './error-answers.ts';
import { EventParser, type Message, type RetryMessage } from './event-parser.ts';
import { startTimer } from './time-limits.ts';

export const EVENT_STREAM = 'text/event-stream';
export const IDLE_TIMEOUT_MS = 60_000;

export interface OpenAnswer {
  readonly response: Response;
  /** Of the request, for errors. */
  readonly name: string;
  /** Aborted here after too long a silence. */
  readonly end: AbortController;
  readonly idleTimeoutMs?: number | undefined;
  /** Told of every sign of life, heartbeats too. */
  readonly onLife?: () => void;
}

/** Until the connection ends, or breaks. */
export async function* readMessages(
  answer: OpenAnswer,
): AsyncGenerator<Message | RetryMessage, void, undefined> {
  const { response, name, onLife } = answer;
  if (!response.headers.get('content-type')?.startsWith(EVENT_STREAM)) {
    throw unexpectedAnswer(response, name, 'The answer is no event stream.');
  }
  const parser = new EventParser();
  for await (const text of readTexts(answer)) {
    onLife?.();
    for (const message of parser.push(text)) {
      if (message.kind === 'overflow') {
        throw unexpectedAnswer(response, name, 'An event is longer than any that is sent.');
      }
      yield message;
    }
  }
}

/** Fails with what an event `error` says. */
export function readData({ id, type, data }: Message, response: Response, name: string): unknown {
  const value = parseJson(data);
  if (type === 'error') throw fromEnvelope(value, response, name);
  if (value === undefined) {
    throw unexpectedAnswer(response, name, `The data of event "${id ?? type}" is not JSON.`);
  }
  return value;
}

async function* readTexts({
  response,
  end,
  idleTimeoutMs = IDLE_TIMEOUT_MS,
}: OpenAnswer): AsyncGenerator<string, void, undefined> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  const readChunk = async () => {
    // Only while waiting: a loop that takes long over an event is no fault of the connection.
    const stopTimer = startTimer(idleTimeoutMs, () => end.abort());
    try {
      return await reader?.read();
    } catch {
      return undefined; // broken is no different from ended
    } finally {
      stopTimer();
    }
  };
  for (let chunk = await readChunk(); chunk && !chunk.done; chunk = await readChunk()) {
    yield decoder.decode(chunk.value as Uint8Array, { stream: true });
  }
}
