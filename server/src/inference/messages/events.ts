/** Events of a streamed message: as sent by the provider, or built from chat chunks. */
import { type ChatCompletion, NATIVE } from '../../platform/llm/chat-model.ts';
import type { ModelStream } from '../calls/model-calls.ts';
import type { ChatCompletionRequest } from '../calls/schema.ts';
import { estimateUsage } from '../calls/tokens.ts';
import { type Part, type PartEvent, PartReader } from '../chat/parts.ts';
import { isCall, messageHead, toStopReason, toUsage } from './message.ts';

export async function* toMessageEvents(
  request: ChatCompletionRequest,
  stream: ModelStream,
): AsyncGenerator<Buffer> {
  const writer = new MessageWriter(request, stream.callId);
  for await (const chunks of stream.chunks) {
    const text = chunks.map((chunk) => writer.write(chunk)).join('');
    if (text !== '') yield Buffer.from(text);
  }
  // The client sees the end of the message after the call is stored.
  yield Buffer.from(writer.end(stream));
}

class MessageWriter {
  readonly #request: ChatCompletionRequest;
  readonly #callId: string;
  readonly #reader = new PartReader();
  #hasBegun = false;
  #isNative = false;
  #hasCalls = false;
  /** Index of the open block, or of the next one. */
  #index = 0;

  constructor(request: ChatCompletionRequest, callId: string) {
    this.#request = request;
    this.#callId = callId;
  }

  write(chunk: ChatCompletion): string {
    const native = chunk[NATIVE];
    if (!native) return this.#begin() + this.#writeAll(this.#reader.read(chunk));
    this.#isNative = true;
    return native['type'] === 'message_stop' ? '' : toEvent(native);
  }

  end({ totals }: ModelStream): string {
    if (this.#isNative) return toEvent({ type: 'message_stop' });
    const closing = this.#begin() + this.#writeAll(this.#reader.end());
    const stop_reason = toStopReason(this.#reader.finishReason, this.#hasCalls);
    const usage = toUsage(totals?.usage ?? estimateUsage(this.#request, 0));
    const delta = { stop_reason, stop_sequence: null };
    return closing + toEvent({ type: 'message_delta', delta, usage }) + toEvent({ type: 'message_stop' });
  }

  /** The provider reports input tokens at the end, so the start event holds an estimate. */
  #begin(): string {
    if (this.#hasBegun) return '';
    this.#hasBegun = true;
    const usage = toUsage(estimateUsage(this.#request, 0));
    const message = { ...messageHead(this.#request.model, this.#callId), usage };
    return toEvent({ type: 'message_start', message });
  }

  #writeAll(events: Iterable<PartEvent>): string {
    let text = '';
    for (const event of events) {
      if (event.type === 'start') text += this.#start(event.part);
      else if (event.type === 'delta') text += this.#delta(deltaOf(event.part, event.text));
      else text += this.#stop(event.part);
    }
    return text;
  }

  #start(part: Part): string {
    this.#hasCalls ||= isCall(part);
    return toEvent({ type: 'content_block_start', index: this.#index, content_block: blockOf(part) });
  }

  #delta(delta: object): string {
    return toEvent({ type: 'content_block_delta', index: this.#index, delta });
  }

  #stop(part: Part): string {
    const signature =
      part.kind === 'reasoning' ? this.#delta({ type: 'signature_delta', signature: '' }) : '';
    return signature + toEvent({ type: 'content_block_stop', index: this.#index++ });
  }
}

function blockOf(part: Part): object {
  if (part.kind === 'reasoning') return { type: 'thinking', thinking: '', signature: '' };
  if (part.kind === 'call') return { type: 'tool_use', id: part.id, name: part.name, input: {} };
  return { type: 'text', text: '', citations: null };
}

function deltaOf({ kind }: Part, text: string): object {
  if (kind === 'reasoning') return { type: 'thinking_delta', thinking: text };
  if (kind === 'call') return { type: 'input_json_delta', partial_json: text };
  return { type: 'text_delta', text };
}

const toEvent = (event: Readonly<Record<string, unknown>>) =>
  `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`;
