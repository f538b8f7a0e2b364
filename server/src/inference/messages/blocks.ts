/** Converts Anthropic content blocks to the messages of a chat completion request. */
import { z } from 'zod';
import { invalidValue } from '../../platform/errors.ts';
import { type ContentPart, type MessageList, textPart } from '../chat/message-list.ts';
import { readAs } from '../read-as.ts';
import type { MessageTokensRequest } from './schema.ts';

type Message = MessageTokensRequest['messages'][number];
type Block = Exclude<Message['content'], string>[number];
type Loc = readonly (string | number)[];

const text = z.object({ text: z.string() });
const thinking = z.object({ thinking: z.string(), signature: z.string().nullish() });
const redacted = z.object({ data: z.string() });
const toolUse = z.object({ id: z.string().min(1), name: z.string().min(1), input: z.unknown() });
const toolResult = z.object({
  tool_use_id: z.string().min(1),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).nullish(),
  is_error: z.boolean().nullish(),
});

const NOT_STORED = 'Send it with a source of type base64; files are not stored here.';
const imageSource = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
    z.object({ type: z.literal('url'), url: z.string() }),
  ],
  { error: NOT_STORED },
);
const image = z.object({ source: imageSource });
const document = z.object({
  title: z.string().nullish(),
  source: z.discriminatedUnion(
    'type',
    [
      z.object({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
      z.object({ type: z.literal('text'), data: z.string() }),
    ],
    { error: NOT_STORED },
  ),
});

/** Returns the text of `system`, or of another list that holds text blocks only. */
export const textsOf = (content: Message['content']): string =>
  typeof content === 'string'
    ? content
    : content.map((block) => (typeof block['text'] === 'string' ? block['text'] : '')).join('\n\n');

export class BlockReader {
  readonly #list: MessageList;
  readonly #isNative: boolean;

  /** @param isNative true when the provider receives the original blocks, so blocks without a chat equivalent are skipped here */
  constructor(list: MessageList, isNative: boolean) {
    this.#list = list;
    this.#isNative = isNative;
  }

  add({ role, content }: Message, loc: Loc): void {
    const at = [...loc, 'content'];
    if (role === 'system') return this.#list.instruct(textsOf(content));
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    return role === 'user' ? this.#addUser(blocks, at) : this.#addAssistant(blocks, at);
  }

  #addUser(blocks: readonly Block[], loc: Loc): void {
    const parts: ContentPart[] = [];
    for (const [index, block] of blocks.entries()) {
      if (block.type !== 'tool_result') parts.push(...this.#toParts(block, [...loc, index]));
      else this.#addResult(block, [...loc, index]);
    }
    this.#list.ask(parts);
  }

  #addResult(block: Block, loc: Loc): void {
    const result = this.#read(toolResult, block, loc);
    if (!result) return;
    const { content } = result;
    const parts =
      typeof content === 'string'
        ? [textPart(content)]
        : (content ?? []).flatMap((part, index) => this.#toParts(part, [...loc, 'content', index]));
    // Chat messages have no field for a failed call, so the text states it.
    const failed = result.is_error ? [textPart('The tool call failed:')] : [];
    this.#list.result(result.tool_use_id, [...failed, ...parts]);
  }

  #addAssistant(blocks: readonly Block[], loc: Loc): void {
    const texts: string[] = [];
    const calls: { readonly id: string; readonly name: string; readonly given: string }[] = [];
    for (const [index, block] of blocks.entries()) {
      const at = [...loc, index];
      if (block.type === 'text') texts.push(this.#read(text, block, at)?.text ?? '');
      else if (block.type === 'tool_use') {
        const call = this.#read(toolUse, block, at);
        if (call) calls.push({ ...call, given: JSON.stringify(call.input ?? {}) });
      } else if (block.type === 'thinking' || block.type === 'redacted_thinking') this.#think(block, at);
      else this.#refuse(block, at);
    }
    const joined = texts.join('');
    if (joined !== '') this.#list.answer(joined);
    for (const { id, name, given } of calls) this.#list.call(id, name, given);
  }

  /** Only the provider that created the reasoning can read it. */
  #think(block: Block, loc: Loc): void {
    if (!this.#isNative) return;
    if (block.type === 'redacted_thinking') {
      const hidden = this.#read(redacted, block, loc);
      if (hidden) this.#list.think('', { type: 'reasoning.encrypted', data: hidden.data });
      return;
    }
    const thought = this.#read(thinking, block, loc);
    if (!thought) return;
    const detail = { type: 'reasoning.text', text: thought.thinking, signature: thought.signature ?? '' };
    this.#list.think(thought.thinking, detail);
  }

  #toParts(block: Block, loc: Loc): ContentPart[] {
    if (block.type === 'text') {
      const parsed = this.#read(text, block, loc);
      return parsed ? [textPart(parsed.text)] : [];
    }
    if (block.type === 'image') {
      const source = this.#read(image, block, loc)?.source;
      if (!source) return [];
      const url = source.type === 'url' ? source.url : `data:${source.media_type};base64,${source.data}`;
      return [{ type: 'image_url', image_url: { url } }];
    }
    if (block.type === 'document') return this.#toFile(block, loc);
    this.#refuse(block, loc);
    return [];
  }

  #toFile(block: Block, loc: Loc): ContentPart[] {
    const read = this.#read(document, block, loc);
    if (!read) return [];
    const { source, title } = read;
    if (source.type === 'text') return [textPart(title ? `${title}\n\n${source.data}` : source.data)];
    const file_data = `data:${source.media_type};base64,${source.data}`;
    return [{ type: 'file', file: { file_data, filename: title ?? 'document.pdf' } }];
  }

  #read<Schema extends z.ZodType>(schema: Schema, block: Block, loc: Loc): z.output<Schema> | undefined {
    if (!this.#isNative) return readAs(schema, block, loc);
    const read = schema.safeParse(block);
    return read.success ? read.data : undefined;
  }

  #refuse(block: Block, loc: Loc): void {
    if (this.#isNative) return;
    const msg = `A block of type "${block.type}" can be sent to providers of kind anthropic only. Leave it out, or call a model of such a provider.`;
    throw invalidValue([...loc, 'type'], msg, 'unsupported_block');
  }
}
