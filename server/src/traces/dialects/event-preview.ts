/** Builds previews from messages that are span events. */
import type { AnyValue, KeyValue, SpanEvent } from '../otlp/model.ts';
import { BODY_NAMES } from './conventions.ts';
import { type Direction, previewOf } from './preview.ts';

const CONTENT_NAMES: readonly string[] = ['content', 'message', ...BODY_NAMES, 'tool_calls'];

export interface EventPreviews {
  readonly input: string | null;
  readonly output: string | null;
}

const NONE: EventPreviews = { input: null, output: null };

export function previewEvents(events: readonly SpanEvent[]): EventPreviews {
  if (events.length === 0) return NONE;
  let ofUser: SpanEvent | undefined;
  let other: SpanEvent | undefined;
  let choice: SpanEvent | undefined;
  let assistant: SpanEvent | undefined;
  for (const event of events) {
    if (event.name === 'gen_ai.choice') choice ??= event;
    else if (event.name === 'gen_ai.assistant.message') assistant = event;
    else if (event.name === 'gen_ai.user.message') ofUser = event;
    else if (event.name === 'gen_ai.system.message' || event.name === 'gen_ai.tool.message') other = event;
  }
  return {
    input: preview(ofUser, 'input') ?? preview(other, 'input') ?? previewPart(events, 'prompt'),
    // The last assistant message is the output when no choice exists.
    output: preview(choice ?? assistant, 'output') ?? previewPart(events, 'completion'),
  };
}

function preview(event: SpanEvent | undefined, direction: Direction): string | null {
  if (event === undefined) return null;
  for (const name of CONTENT_NAMES) {
    const value = find(event.attributes, name);
    const text = value === null ? null : previewOf(value, direction);
    if (text !== null) return text;
  }
  return null;
}

/** Previews the events of the earliest conventions, which put all messages of one direction into one event. */
function previewPart(events: readonly SpanEvent[], part: 'prompt' | 'completion'): string | null {
  const event = events.find(({ name }) => name === `gen_ai.content.${part}`);
  if (event === undefined) return null;
  const direction = part === 'prompt' ? 'input' : 'output';
  const value = find(event.attributes, `gen_ai.${part}`);
  return value === null ? preview(event, direction) : previewOf(value, direction);
}

function find(attributes: readonly KeyValue[], name: string): AnyValue {
  return attributes.findLast(({ key }) => key === name)?.value ?? null;
}
