/** Reads the facts that lists, statistics and usage need from a span: once, when it is received, in one pass over its attributes. */
import type { AnyValue, DecodedSpan, KeyValue, SpanSource } from '../otlp/model.ts';
import type { SpanType } from '../span-types.ts';
import {
  DETAILS_EVENT,
  MEANING_OF_CLIENT_TYPE,
  MEANING_OF_ENTITY_KIND,
  MEANING_OF_KIND,
  MEANING_OF_SDK_OPERATION,
  OPERATION_OF_REQUEST_TYPE,
  RULES,
  SLOT,
  SLOT_COUNT,
  type Slot,
  TYPE_OF_OPERATION,
} from './conventions.ts';
import type { SpanFacts } from './facts.ts';
import { type Direction, IndexedMessages, previewEvents, previewOf } from './preview.ts';
import { MAX_COUNT, toName } from './scalars.ts';

/** Higher than every rank: an attribute of the span wins over one of its events. */
const OF_SPAN = 100;

export function interpret(span: DecodedSpan, source: SpanSource): SpanFacts {
  const found = new Findings();
  found.take(span.attributes, OF_SPAN);
  for (const event of span.events) if (event.name === DETAILS_EVENT) found.take(event.attributes, 0);
  const { operation, type, meaning } = classify(found);
  const cacheRead = found.number(SLOT.cacheReadInputTokens);
  const cacheCreation = found.number(SLOT.cacheCreationInputTokens);
  const events = previewEvents(span.events);
  return {
    spanType: type,
    operation,
    provider: found.name(SLOT.provider),
    model: modelOf(found),
    agentName: found.name(SLOT.agentName) ?? (meaning === 'agent' ? found.name(SLOT.entityName) : null),
    toolName: found.name(SLOT.toolName) ?? (meaning === 'tool' ? found.name(SLOT.entityName) : null),
    conversationId: found.name(SLOT.conversationId) ?? conversationOf(source),
    assessmentId: found.name(SLOT.assessmentId),
    project: found.name(SLOT.project),
    isPending: found.name(SLOT.pending) === 'pending_span',
    inputTokens: withCached(found.number(SLOT.inputTokens), cacheRead, cacheCreation),
    outputTokens: found.number(SLOT.outputTokens),
    cacheReadInputTokens: cacheRead,
    cacheCreationInputTokens: cacheCreation,
    costUsd: costOf(found),
    inferenceCallId: toCallId(found.name(SLOT.responseId) ?? responseIdOf(found.value(SLOT.outputValue))),
    inputPreview: findPreview('input', found, events.input, span.attributes),
    outputPreview: findPreview('output', found, events.output, span.attributes),
  };
}

/** Template that is copied for each span, which is cheaper than creating a new array. */
const NO_VALUES = Array.from({ length: SLOT_COUNT }, (): AnyValue => null);
const NO_RANKS = Array.from({ length: SLOT_COUNT }, () => 0);

class Findings {
  readonly indexed = new IndexedMessages();
  private readonly values = NO_VALUES.slice();
  private readonly ranks = NO_RANKS.slice();

  take(attributes: readonly KeyValue[], rankOfSource: number): void {
    for (const attribute of attributes) {
      const rule = RULES.get(attribute.key);
      if (rule === undefined) {
        if (rankOfSource === OF_SPAN) this.indexed.note(attribute);
        continue;
      }
      const rank = rule.rank + rankOfSource;
      // The last value of a repeated key wins, as for readers of the attributes.
      if (rank < (this.ranks[rule.slot] ?? 0)) continue;
      const value = rule.read(attribute.value);
      if (value === null) continue;
      this.values[rule.slot] = value;
      this.ranks[rule.slot] = rank;
    }
  }

  value(slot: Slot): AnyValue {
    return this.values[slot] ?? null;
  }

  name(slot: Slot): string | null {
    const value = this.values[slot];
    return typeof value === 'string' ? value : null;
  }

  isOfSpan(slot: Slot): boolean {
    return (this.ranks[slot] ?? 0) > OF_SPAN;
  }

  number(slot: Slot): number | null {
    const value = this.values[slot];
    return typeof value === 'number' ? value : null;
  }
}

interface Class {
  readonly operation: string | null;
  readonly type: SpanType;
  /** The type that OpenLLMetry gives to the traced function. */
  readonly meaning: SpanType | undefined;
}

function classify(found: Findings): Class {
  const named = found.name(SLOT.operation);
  const [ofKind, operationOfKind] = MEANING_OF_KIND.get(found.name(SLOT.kind)?.toUpperCase() ?? '') ?? [];
  const [meaning, operationOfEntity] =
    MEANING_OF_ENTITY_KIND.get(found.name(SLOT.entityKind)?.toLowerCase() ?? '') ?? [];
  const requested = OPERATION_OF_REQUEST_TYPE.get(found.name(SLOT.requestType) ?? '');
  const [ofProduct, operationOfProduct] = meaningOfProduct(found);
  const operation = named ?? operationOfKind ?? requested ?? operationOfEntity ?? operationOfProduct ?? null;
  const ofOperation = operation === null ? undefined : TYPE_OF_OPERATION.get(operation.toLowerCase());
  // A kind is more specific than an operation name that the conventions do not define.
  const type = ofOperation ?? ofKind ?? meaning ?? ofProduct ?? guessType(found);
  return { operation, type, meaning };
}

/** Reads the attributes that products define themselves, for spans that follow no convention. */
const meaningOfProduct = (found: Findings) =>
  MEANING_OF_SDK_OPERATION.get(found.name(SLOT.sdkOperation) ?? '') ??
  MEANING_OF_CLIENT_TYPE.get(found.name(SLOT.clientType) ?? '') ??
  [];

/**
 * Returns the model that responded. Some instrumentations strip its provider prefix, and some report a refused call with its parameters
 * only: in both cases the full name of the requested model is used.
 */
function modelOf(found: Findings): string | null {
  const requestedModel = found.name(SLOT.model);
  const responseModel = found.name(SLOT.responseModel);
  if (requestedModel === null) return responseModel ?? invokedModelOf(found.value(SLOT.invocationParameters));
  const isReported =
    responseModel !== null && (found.isOfSpan(SLOT.responseModel) || !found.isOfSpan(SLOT.model));
  return isReported && !requestedModel.endsWith(`/${responseModel}`) ? responseModel : requestedModel;
}

const INVOKED_MODEL = /"model"\s*:\s*"([^"\\]{1,255})"/;
/** Characters of the request parameters that are searched. Parameters may hold tool definitions; the model comes first. */
const MAX_PARAMETERS = 4_096;

const invokedModelOf = (parameters: AnyValue) =>
  typeof parameters === 'string'
    ? toName(INVOKED_MODEL.exec(parameters.slice(0, MAX_PARAMETERS))?.[1] ?? null)
    : null;

/** Early instrumentations name no operation. */
function guessType(found: Findings): SpanType {
  const isCall =
    found.value(SLOT.model) !== null ||
    found.value(SLOT.responseModel) !== null ||
    found.value(SLOT.inputTokens) !== null ||
    found.value(SLOT.outputTokens) !== null;
  if (isCall) return 'llm';
  if (found.value(SLOT.toolArguments) !== null || found.value(SLOT.toolResult) !== null) return 'tool';
  return found.value(SLOT.provider) === null ? 'span' : 'llm';
}

const conversations = new WeakMap<SpanSource, string | null>();

function conversationOf(source: SpanSource): string | null {
  const known = conversations.get(source);
  if (known !== undefined) return known;
  const named = (name: string) =>
    toName(source.resource.attributes.findLast(({ key }) => key === name)?.value ?? null);
  const conversation = named('gen_ai.conversation.id') ?? named('session.id');
  conversations.set(source, conversation);
  return conversation;
}

/** Input tokens include cache reads and cache writes: a count smaller than their sum excludes them, so they are added. */
function withCached(input: number | null, read: number | null, creation: number | null): number | null {
  const cached = (read ?? 0) + (creation ?? 0);
  if (input === null || input >= cached) return input;
  return Math.min(input + cached, MAX_COUNT);
}

function costOf(found: Findings): number | null {
  const total = found.number(SLOT.cost);
  const input = found.number(SLOT.inputCost);
  const output = found.number(SLOT.outputCost);
  if (total !== null || (input === null && output === null)) return total;
  return (input ?? 0) + (output ?? 0);
}

/** Matches response ids of the gateway, which derives them from the UUIDv7 of the call. */
const CALL_ID = /^chatcmpl-([0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15})$/;

/**
 * Finds the response id in the JSON of the response, since OpenInference reports it nowhere else. Quotes inside the response texts are
 * escaped, so a model cannot forge a match.
 */
const ANSWER_ID = /"id"\s*:\s*"(chatcmpl-[0-9a-f]{32})"/;

const responseIdOf = (output: AnyValue) =>
  typeof output === 'string' && output.startsWith('{') ? (ANSWER_ID.exec(output)?.[1] ?? null) : null;

const toCallId = (responseId: string | null) =>
  responseId === null ? null : (CALL_ID.exec(responseId)?.[1] ?? null);

/** Attributes that carry messages, per direction: newer conventions come first, and events come after the first of them. */
const CARRIERS = {
  input: {
    messages: SLOT.inputMessages,
    others: [
      SLOT.toolArguments,
      'gen_ai.prompt.',
      SLOT.prompt,
      'llm.input_messages.',
      SLOT.llmInputMessages,
      'llm.prompts.',
      SLOT.inputValue,
    ],
  },
  output: {
    messages: SLOT.outputMessages,
    others: [
      SLOT.toolResult,
      'gen_ai.completion.',
      SLOT.completion,
      'llm.output_messages.',
      SLOT.llmOutputMessages,
      'llm.choices.',
      SLOT.outputValue,
    ],
  },
} as const;

function findPreview(
  direction: Direction,
  found: Findings,
  ofEvents: string | null,
  attributes: readonly KeyValue[],
): string | null {
  const { messages, others } = CARRIERS[direction];
  const newest = preview(found, messages, direction) ?? ofEvents;
  if (newest !== null) return newest;
  for (const carrier of others) {
    const text =
      typeof carrier === 'string'
        ? found.indexed.preview(carrier, direction, attributes)
        : preview(found, carrier, direction);
    if (text !== null) return text;
  }
  return null;
}

function preview(found: Findings, slot: Slot, direction: Direction): string | null {
  const value = found.value(slot);
  return value === null ? null : previewOf(value, direction);
}
