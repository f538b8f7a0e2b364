/** Converts the input of a Responses request to the messages of a chat completion request. */
import { z } from 'zod';
import { invalidValue } from '../../platform/errors.ts';
import type { ChatMessage } from '../../platform/llm/chat-model.ts';
import { type ContentPart, MessageList, textPart } from '../chat/message-list.ts';
import { readAs } from '../read-as.ts';
import type { ResponseRequest } from './schema.ts';
import { toChatName } from './tools.ts';

type Item = Exclude<ResponseRequest['input'], string>[number];
type Loc = readonly (string | number)[];

const content = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]);
const message = z.object({
  role: z.enum(['user', 'assistant', 'system', 'developer'], {
    error: 'The role has to be one of user, assistant, system, developer.',
  }),
  content,
});
const call = z.object({
  call_id: z.string().min(1),
  name: z.string().min(1),
  namespace: z.string().nullish(),
});
const functionCall = call.extend({ arguments: z.string() });
const customCall = call.extend({ input: z.string() });
const callOutput = z.object({ call_id: z.string().min(1), output: content });

const textual = z.object({ text: z.string() });
const refusal = z.object({ refusal: z.string() });
const image = z.object({
  image_url: z.string({
    error: 'Send the image as a data: URI or an https: URL; files are not stored here.',
  }),
  detail: z.string().nullish(),
});
const file = z.object({
  file_data: z.string({
    error: 'Send the file itself as a data: URI in file_data; files are not stored here.',
  }),
  filename: z.string().nullish(),
});

/** @throws {ApiError} `validation_error` that names the first item that cannot be passed on */
export function toChatMessages({ instructions, input }: ResponseRequest): ChatMessage[] {
  const list = new MessageList();
  list.instruct(instructions ?? '');
  if (typeof input === 'string') list.ask([textPart(input)]);
  else for (const [index, item] of input.entries()) add(list, item, ['body', 'input', index]);
  const messages = list.end();
  if (messages.length === 0)
    throw invalidValue(['body', 'input'], 'The input holds nothing for the model to read.');
  return messages;
}

function add(list: MessageList, item: Item, loc: Loc): void {
  switch (item.type ?? 'message') {
    case 'message':
      return addMessage(list, item, loc);
    case 'function_call': {
      const { call_id, name, namespace, arguments: given } = readAs(functionCall, item, loc);
      return list.call(call_id, toChatName(name, namespace), given);
    }
    case 'custom_tool_call': {
      const { call_id, name, namespace, input } = readAs(customCall, item, loc);
      return list.call(call_id, toChatName(name, namespace), JSON.stringify({ input }));
    }
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const { call_id, output } = readAs(callOutput, item, loc);
      return list.result(call_id, partsOf(output, [...loc, 'output']));
    }
    case 'reasoning':
      return undefined;
    case 'item_reference':
      throw invalidValue(
        [...loc, 'type'],
        'Responses are not stored here. Send the item itself instead of a reference.',
      );
    default:
      throw invalidValue(
        [...loc, 'type'],
        `An item of type "${item.type}" cannot be passed on to a model here. Leave it out, or send what it says as a message.`,
      );
  }
}

function addMessage(list: MessageList, item: Item, loc: Loc): void {
  const { role, content } = readAs(message, item, loc);
  const parts = partsOf(content, [...loc, 'content']);
  if (role === 'user') return list.ask(parts);
  const texts = parts.map(({ type, text }, index) => {
    if (type === 'text') return String(text);
    throw invalidValue([...loc, 'content', index], `A message of the role ${role} can hold text only.`);
  });
  if (role === 'assistant') return list.answer(texts.join(''));
  return list.instruct(texts.join('\n'));
}

function partsOf(parts: z.output<typeof content>, loc: Loc): ContentPart[] {
  if (typeof parts === 'string') return [textPart(parts)];
  return parts.map((part, index) => toPart(part, [...loc, index]));
}

function toPart(part: { readonly type: string }, loc: Loc): ContentPart {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return textPart(readAs(textual, part, loc).text);
    case 'refusal':
      return textPart(readAs(refusal, part, loc).refusal);
    case 'input_image': {
      const { image_url: url, detail } = readAs(image, part, loc);
      return { type: 'image_url', image_url: { url, ...(detail && { detail }) } };
    }
    case 'input_file': {
      const { file_data, filename } = readAs(file, part, loc);
      return { type: 'file', file: { file_data, ...(filename && { filename }) } };
    }
    default:
      throw invalidValue(
        [...loc, 'type'],
        `A part of type "${part.type}" cannot be passed on here. Use input_text, input_image or input_file.`,
      );
  }
}
