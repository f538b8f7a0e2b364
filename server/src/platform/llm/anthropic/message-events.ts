/** Events of a streamed message: each becomes a chat chunk that also carries the original event. */
import type { ResponseBody } from '../../net/response-body.ts';
import { NATIVE, type NativeForm } from '../chat-model.ts';
import { parseObject } from '../openai-compatible/completion.ts';
import { PieceStream, type PieceStreamOptions } from '../piece-stream.ts';
import { toRefusalError } from '../provider-errors.ts';
import {
  fieldsOf,
  textOf,
  toFinishReason,
  toReasoningDetail,
  toTokenUsage,
  toUsageJson,
} from './messages.ts';

interface EventOptions extends PieceStreamOptions {
  /** Model name used by the caller. */
  readonly model: string;
}

/** HTTP statuses of error events in a stream. */
const STATUSES = new Map<unknown, number>([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['overloaded_error', 529],
]);

interface OpenBlock {
  readonly type: unknown;
  /** Index among the tool calls. */
  readonly call: number;
  thinking: string;
  signature: string;
}

export class MessageEvents extends PieceStream {
  readonly #options: EventOptions;
  readonly #created = Math.floor(Date.now() / 1_000);
  #usage: Record<string, unknown> = {};
  #calls = 0;
  #block: OpenBlock | undefined;

  constructor(body: ResponseBody, options: EventOptions) {
    super(body, options);
    this.#options = options;
  }

  protected override read(data: string): void {
    const event = parseObject(data);
    if (!event) return this.fail(this.garbage('sent something that is not an event of a message'));
    switch (event['type']) {
      case 'ping':
        // Drops pings: the gateway sends its own heartbeats, and a ping must not hide that the model is silent.
        return undefined;
      case 'error':
        return this.#failAs(fieldsOf(event['error']));
      case 'message_start':
        this.#noteUsage(fieldsOf(event['message'])['usage'], false);
        return this.#pass(event, { role: 'assistant', content: '' });
      case 'content_block_start':
        return this.#start(event, fieldsOf(event['content_block']));
      case 'content_block_delta':
        return this.#delta(event, fieldsOf(event['delta']));
      case 'content_block_stop':
        return this.#stop(event);
      case 'message_delta':
        return this.#finish(event, fieldsOf(event['delta'])['stop_reason']);
      case 'message_stop':
        return this.#end(event);
      default:
        return this.#pass(event);
    }
  }

  #start(event: NativeForm, block: NativeForm): void {
    const isCall = block['type'] === 'tool_use';
    this.#block = { type: block['type'], call: this.#calls, thinking: '', signature: '' };
    if (!isCall) {
      const detail = block['type'] === 'redacted_thinking' ? toReasoningDetail(block) : undefined;
      const text = textOf(block['text']);
      if (detail) return this.#pass(event, { reasoning_details: [detail] });
      return this.#pass(event, text === '' ? undefined : { content: text }, text.length);
    }
    const name = textOf(block['name']);
    const call = { id: textOf(block['id']), type: 'function', function: { name, arguments: '' } };
    return this.#pass(event, { tool_calls: [{ index: this.#calls++, ...call }] }, name.length);
  }

  #delta(event: NativeForm, delta: NativeForm): void {
    const block = this.#block;
    switch (delta['type']) {
      case 'text_delta': {
        const content = textOf(delta['text']);
        return this.#pass(event, { content }, content.length);
      }
      case 'thinking_delta': {
        const thinking = textOf(delta['thinking']);
        if (block) block.thinking += thinking;
        return this.#pass(event, { reasoning_content: thinking }, thinking.length);
      }
      case 'signature_delta':
        if (block) block.signature += textOf(delta['signature']);
        return this.#pass(event);
      case 'input_json_delta': {
        const given = textOf(delta['partial_json']);
        const call = { index: block?.call, function: { arguments: given } };
        const isOwn = block?.type === 'tool_use';
        return this.#pass(event, isOwn ? { tool_calls: [call] } : undefined, given.length);
      }
      default:
        return this.#pass(event);
    }
  }

  #stop(event: NativeForm): void {
    const block = this.#block;
    this.#block = undefined;
    const detail = block && toReasoningDetail(block as unknown as NativeForm);
    this.#pass(event, detail && { reasoning_details: [detail] });
  }

  #finish(event: NativeForm, stopReason: unknown): void {
    const isFinished = typeof stopReason === 'string';
    if (isFinished) this.finish();
    this.#noteUsage(event['usage'], isFinished);
    this.#pass(event, isFinished ? {} : undefined, 0, isFinished ? toFinishReason(stopReason) : null);
  }

  #end(event: NativeForm): void {
    const usage = toTokenUsage(this.#usage);
    this.add(
      { ...this.#head(), choices: [], ...(usage && { usage: toUsageJson(usage) }), [NATIVE]: event },
      0,
    );
    this.end();
  }

  /** Later counts replace earlier ones. */
  #noteUsage(usage: unknown, isFinal: boolean): void {
    for (const [name, count] of Object.entries(fieldsOf(usage)))
      if (count !== null) this.#usage[name] = count;
    this.setUsage(toTokenUsage(this.#usage), isFinal);
  }

  #pass(event: NativeForm, delta?: object, outputLength = 0, finish_reason: string | null = null): void {
    const choices = delta ? [{ index: 0, delta, logprobs: null, finish_reason }] : [];
    this.add({ ...this.#head(), choices, [NATIVE]: event }, outputLength);
  }

  #head() {
    const { id, model } = this.#options;
    return { id, object: 'chat.completion.chunk', created: this.#created, model };
  }

  #failAs(error: NativeForm): void {
    const status = STATUSES.get(error['type']) ?? 500;
    const text = JSON.stringify({ error });
    this.fail(toRefusalError(this.#options.provider, { status, retryAfter: undefined, text }));
  }
}
