/**
 * Notes with the fields that the other format lacks. A message's `metadata.atif` holds what an ATIF document had beyond our fields; a
 * document's `extra.drydock` holds what our messages have beyond its fields. Notes count only when they match these schemas; any other
 * value of that name is ordinary data.
 */
import { z } from 'zod';
import { BODY_DEPTH } from '../../platform/http/requests/json-body.ts';
import { depthOf } from '../../platform/json.ts';
import { toStorable } from '../../platform/storable-text.ts';
import { Labels, MAX_TITLE } from '../schema.ts';
import { MessageUsage, ROLES, ToolCall } from '../transcript/schema.ts';
import {
  ContentPart,
  isCompaction,
  isJsonObject,
  isTimestamp,
  type JsonObject,
  Metrics,
  Observation,
  SubagentRef,
} from './atif-schema.ts';
import { Integers, listOf } from './lists.ts';

const AnyObject = z.custom<JsonObject>(isJsonObject);

/** Stored in `metadata.atif`. Null means that the document omitted the member where an export would write it. */
const MessageNotes = z.strictObject({
  timestamp: z.string().refine(isTimestamp).nullable().optional(),
  /** Content of a compaction step besides its summary. */
  message: z.union([z.string(), listOf(ContentPart)]).optional(),
  metrics: Metrics.optional(),
  is_copied_context: z.boolean().optional(),
  llm_call_count: z.int().min(0).nullable().optional(),
  /** One item per call. */
  call_extras: listOf(AnyObject.nullable()).optional(),
  /** For each result in the order of the document, its position in our order. */
  result_order: Integers.optional(),
  /** Observation of a compaction, or an empty one. */
  observation: Observation.optional(),
  /** Marks a tool result that belongs to the previous step but to none of its calls. */
  is_in_step: z.literal(true).optional(),
  content: listOf(ContentPart).nullable().optional(),
  subagent_trajectory_ref: listOf(SubagentRef).optional(),
  /** Metadata that would otherwise be misread as notes. */
  extra: AnyObject.optional(),
});

export type MessageNotesOf = z.output<typeof MessageNotes>;

/** Stored in `extra.drydock` of a step or of a result. */
const StepNotes = z.strictObject({
  /** What a system step represents if that is not evident; `empty` stands for a document without messages. */
  kind: z.enum(['prompt', 'message', 'result', 'empty']).optional(),
  role: z.enum(ROLES).optional(),
  model: z.string().optional(),
  tool_calls: listOf(ToolCall).optional(),
  tool_call_id: z.string().optional(),
  usage: MessageUsage.optional(),
  metadata: AnyObject.optional(),
  /** Metadata that is nested too deep for a document, as JSON text. */
  metadata_json: z.string().optional(),
});

export type StepNotesOf = z.output<typeof StepNotes>;

/** Stored in `extra.drydock` of a call whose id occurs more than once in its step. */
const CallNotes = z.strictObject({ id: z.string() });

/** Stored in `extra.drydock` of a document. */
const SessionNotes = z.strictObject({
  title: z.string().max(MAX_TITLE).optional(),
  labels: Labels.optional(),
});

const OURS = 'drydock';
const THEIRS = 'atif';

/** Splits the metadata of a message into the notes for an ATIF document and the rest. */
export function splitMetadata(metadata: JsonObject | null): { notes: MessageNotesOf; rest: JsonObject } {
  if (!metadata || !Object.hasOwn(metadata, THEIRS)) return { notes: {}, rest: metadata ?? {} };
  const { [THEIRS]: given, ...rest } = metadata;
  const notes = MessageNotes.safeParse(given);
  if (notes.success) return { notes: notes.data, rest };
  return { notes: {}, rest: metadata };
}

/** Inverse of `splitMetadata`. */
export function joinMetadata(notes: MessageNotesOf, rest: JsonObject): Record<string, unknown> | null {
  const isNoted = Object.values(notes).some((note) => note !== undefined);
  const metadata = { ...rest, ...(isNoted && { [THEIRS]: notes }) };
  return Object.keys(metadata).length > 0 ? metadata : null;
}

/** Splits the extra of a document into the notes for our fields and the rest. */
function splitExtra<Shape extends z.ZodType>(
  shape: Shape,
  extra: JsonObject | null | undefined,
): { notes: Partial<z.output<Shape>>; rest: JsonObject } {
  if (!extra || !Object.hasOwn(extra, OURS)) return { notes: {}, rest: extra ?? {} };
  const { [OURS]: given, ...rest } = extra;
  const notes = shape.safeParse(given);
  if (notes.success) return { notes: notes.data, rest };
  return { notes: {}, rest: extra };
}

/** Inverse of `splitExtra`; undefined if there is nothing to store. */
export function joinExtra(notes: object, rest: JsonObject): JsonObject | undefined {
  const isNoted = Object.values(notes).some((note) => note !== undefined);
  const extra = { ...rest, ...(isNoted && { [OURS]: notes }) };
  return Object.keys(extra).length > 0 ? extra : undefined;
}

/** Converts our metadata to an extra; members that would be misread there move into our notes. */
export function toExtra(notes: StepNotesOf, metadata: JsonObject, isSystem: boolean): JsonObject | undefined {
  if (isDeeperThan(metadata, MAX_DEPTH)) {
    return joinExtra({ ...notes, metadata_json: JSON.stringify(metadata) }, {});
  }
  const isHidden = ([key, value]: [string, unknown]) =>
    key === OURS || (isSystem && key === 'context_management' && isCompaction(value));
  const hidden = Object.entries(metadata).filter(isHidden);
  if (hidden.length === 0) return joinExtra(notes, metadata);
  const rest = Object.fromEntries(Object.entries(metadata).filter((entry) => !isHidden(entry)));
  return joinExtra({ ...notes, metadata: { ...notes.metadata, ...Object.fromEntries(hidden) } }, rest);
}

/** Inverse of `toExtra` as far as possible without the step: returns our notes and all metadata. */
export function fromExtra(extra: JsonObject | null | undefined): {
  notes: Partial<StepNotesOf>;
  rest: JsonObject;
} {
  const { notes, rest } = splitStepExtra(extra);
  const { metadata, metadata_json } = notes;
  if (!metadata && metadata_json === undefined) return { notes, rest };
  return { notes, rest: { ...rest, ...metadata, ...parseObject(metadata_json ?? '', BODY_DEPTH) } };
}

export const splitStepExtra = (extra: JsonObject | null | undefined) => splitExtra(StepNotes, extra);
export const splitCallExtra = (extra: JsonObject | null | undefined) => splitExtra(CallNotes, extra);
export const splitSessionExtra = (extra: JsonObject | null | undefined) => splitExtra(SessionNotes, extra);

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((item) => isDeeperThan(item, depth - 1));
}

const RAW = '_raw';

/** A document must stay within the depth limit of request bodies, and arguments are nested deep in it. */
const MAX_DEPTH = 48;

/** Arguments that are not an object, are nested too deep or have numbers that a double would change are kept as text. */
export function toArguments(text: string): JsonObject {
  return parseExact(text) ?? { [RAW]: text };
}

export function fromArguments(value: JsonObject): string {
  const raw = value[RAW];
  const isRaw = typeof raw === 'string' && Object.keys(value).length === 1 && !parseExact(raw);
  return isRaw ? raw : JSON.stringify(value);
}

/** Only a text that matches this can contain a number that a double does not represent exactly. */
const LONG_NUMBER = /\d{16}|\d[eE]\+?\d{3}/;

function parseExact(text: string): JsonObject | undefined {
  const value = parseObject(text, MAX_DEPTH);
  return value && LONG_NUMBER.test(text) && !isExact(text) ? undefined : value;
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** The TypeScript library does not declare yet that a reviver receives the source text of a value. */
const { parse } = JSON as unknown as { parse(text: string, reviver: Reviver): unknown };

/** Fractions are exempt: a reader expects no more digits than a double has. */
function isExact(text: string): boolean {
  let isSame = true;
  parse(text, (_key, value, { source = '' }) => {
    if (typeof value === 'number') isSame &&= Number.isFinite(value) && !isOtherInteger(value, source);
    return value;
  });
  return isSame;
}

const isOtherInteger = (value: number, source: string) =>
  /^-?\d+$/.test(source) && BigInt(source) !== BigInt(value);

/** Parses the text of a JSON object into a form that can be stored. */
function parseObject(text: string, maxDepth: number): JsonObject | undefined {
  if (depthOf(text) > maxDepth) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? toStorable(value) : undefined;
  } catch {
    return undefined;
  }
}
