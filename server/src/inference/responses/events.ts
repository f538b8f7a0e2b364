/** Events of a streamed response, in the sequence that OpenAI's clients expect. */
import { ApiError } from '../../platform/errors.ts';
import type { ChatCompletion } from '../../platform/llm/chat-model.ts';
import type { ModelStream } from '../calls/model-calls.ts';
import { type Part, type PartEvent, PartReader } from '../chat/parts.ts';
import { CustomInputReader } from './custom-input.ts';
import { contentOf, type OutputItem, type ResponseForm, statusOf, toUsage } from './response.ts';

export async function* toResponseEvents(form: ResponseForm, stream: ModelStream): AsyncGenerator<Buffer> {
  const writer = new ResponseWriter(form);
  let opening = writer.begin();
  try {
    for await (const chunks of stream.chunks) {
      yield Buffer.from(opening + chunks.map((chunk) => writer.read(chunk)).join(''));
      opening = '';
    }
    yield Buffer.from(opening + writer.end(stream));
  } catch (error) {
    // Internal errors are logged and reported by the caller of this function, which also knows whether the reader has disconnected.
    if (!(error instanceof ApiError) || error.status === 500) throw error;
    yield Buffer.from(opening + writer.fail(error));
  }
}

interface OpenItem {
  readonly index: number;
  readonly id: string;
  readonly input: CustomInputReader;
}

class ResponseWriter {
  readonly #form: ResponseForm;
  readonly #reader = new PartReader();
  readonly #output: OutputItem[] = [];
  #sequence = 0;
  #count = 0;
  #open: OpenItem | undefined;

  constructor(form: ResponseForm) {
    this.#form = form;
  }

  begin(): string {
    const response = this.#form.response('in_progress', { output: [] });
    return this.#event('response.created', { response }) + this.#event('response.in_progress', { response });
  }

  read(chunk: ChatCompletion): string {
    return this.#writeAll(this.#reader.read(chunk));
  }

  end({ totals }: ModelStream): string {
    const { finishReason, reasoningTokens } = this.#reader;
    const status = statusOf(finishReason);
    const closing = this.#writeAll(this.#reader.end(), status);
    const usage = totals && toUsage(totals, reasoningTokens);
    const response = this.#form.response(status, {
      output: this.#output,
      finishReason,
      ...(usage && { usage }),
    });
    return closing + this.#event(`response.${status}`, { response });
  }

  fail({ status, message }: ApiError): string {
    const code = status === 429 ? 'rate_limit_exceeded' : 'server_error';
    const response = this.#form.response('failed', { output: this.#output, error: { code, message } });
    return this.#event('response.failed', { response });
  }

  #writeAll(events: Iterable<PartEvent>, status: 'completed' | 'incomplete' = 'completed'): string {
    let text = '';
    for (const event of events) {
      if (event.type === 'start') text += this.#start(event.part);
      else if (event.type === 'delta') text += this.#delta(event.part, event.text);
      else text += this.#end(event.part, status);
    }
    return text;
  }

  #start(part: Part): string {
    const index = this.#count++;
    const item = this.#form.item({ ...part, text: '' }, index, 'in_progress');
    const opened = item['type'] === 'custom_tool_call' ? { ...item, input: '' } : item;
    this.#open = { index, id: item.id, input: new CustomInputReader() };
    const added = this.#event('response.output_item.added', { output_index: index, item: opened });
    if (part.kind === 'call') return added;
    if (part.kind === 'reasoning')
      return added + this.#summary('part.added', { part: { type: 'summary_text', text: '' } });
    return added + this.#content('response.content_part.added', { part: contentOf(part.kind, '') });
  }

  #delta(part: Part, delta: string): string {
    if (part.kind === 'reasoning') return this.#summary('text.delta', { delta });
    if (part.kind === 'text') return this.#content('response.output_text.delta', { delta, logprobs: [] });
    if (part.kind === 'refusal') return this.#content('response.refusal.delta', { delta });
    if (!this.#form.isCustom(part)) return this.#item('response.function_call_arguments.delta', { delta });
    const text = this.#open?.input.read(delta) ?? '';
    return text === '' ? '' : this.#item('response.custom_tool_call_input.delta', { delta: text });
  }

  #end(part: Part, status: 'completed' | 'incomplete'): string {
    const item = this.#form.item(part, this.#open?.index ?? 0, status);
    this.#output.push(item);
    const done = this.#endContent(part, item);
    return done + this.#event('response.output_item.done', { output_index: this.#open?.index, item });
  }

  #endContent(part: Part, item: OutputItem): string {
    const { text } = part;
    if (part.kind === 'reasoning')
      return (
        this.#summary('text.done', { text }) +
        this.#summary('part.done', { part: { type: 'summary_text', text } })
      );
    if (part.kind === 'call') {
      const { name } = item;
      if (!this.#form.isCustom(part))
        return this.#item('response.function_call_arguments.done', { name, arguments: text });
      const input = String(item['input']);
      const emitted = this.#open?.input.text ?? '';
      const rest = input.startsWith(emitted) ? input.slice(emitted.length) : '';
      const last = rest === '' ? '' : this.#item('response.custom_tool_call_input.delta', { delta: rest });
      return last + this.#item('response.custom_tool_call_input.done', { input });
    }
    const done =
      part.kind === 'text'
        ? this.#content('response.output_text.done', { text, logprobs: [] })
        : this.#content('response.refusal.done', { refusal: text });
    return done + this.#content('response.content_part.done', { part: contentOf(part.kind, text) });
  }

  #summary(what: string, more: object): string {
    return this.#item(`response.reasoning_summary_${what}`, { summary_index: 0, ...more });
  }

  #content(type: string, more: object): string {
    return this.#item(type, { content_index: 0, ...more });
  }

  #item(type: string, more: object): string {
    return this.#event(type, { item_id: this.#open?.id, output_index: this.#open?.index, ...more });
  }

  #event(type: string, more: object): string {
    const data = { type, sequence_number: this.#sequence++, ...more };
    return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
  }
}
