/**
 * Where each format keeps what the other has no field for. A message's `metadata.atif` has what a document of ATIF said
 * beyond our fields; a document's `extra.drydock` has what our messages hold beyond its fields. Either counts only when
 * it has the form of these notes; anything else of that name is a value like any other.
 */
import { z } from 'zod';
import { BODY_DEPTH } from '../../platform/http/json-body.ts';
import { Labels, MAX_TITLE } from '../schema.ts';
import { MessageUsage, ROLES, ToolCall } from '../transcript/schema.ts';
import { MAX_DEPTH, parseObject } from './atif-arguments.ts';
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

/** In `metadata.atif`. A null says that the document left it out where we would not. */
const MessageNotes = z.strictObject({
  timestamp: z.string().refine(isTimestamp).nullable().optional(),
  /** Of a compaction: what it says beside its summary. */
  message: z.union([z.string(), listOf(ContentPart)]).optional(),
  metrics: Metrics.optional(),
  is_copied_context: z.boolean().optional(),
  llm_call_count: z.int().min(0).nullable().optional(),
  /** One for each call. */
  call_extras: listOf(AnyObject.nullable()).optional(),
  /** For each result as the document has them, which it is as we have them. */
  result_order: Integers.optional(),
  /** Of a compaction, or one that is empty. */
  observation: Observation.optional(),
  /** Of a tool: it belongs to the step before it, and answers none of its calls. */
  is_in_step: z.literal(true).optional(),
  content: listOf(ContentPart).nullable().optional(),
  subagent_trajectory_ref: listOf(SubagentRef).optional(),
  /** What would be taken for something else in the metadata. */
  extra: AnyObject.optional(),
});

export type MessageNotesOf = z.output<typeof MessageNotes>;

/** In `extra.drydock` of a step, or of a result. */
const StepNotes = z.strictObject({
  /** Of a system step, what it is where that cannot be seen; `empty` stands for no message at all. */
  kind: z.enum(['prompt', 'message', 'result', 'empty']).optional(),
  role: z.enum(ROLES).optional(),
  model: z.string().optional(),
  tool_calls: listOf(ToolCall).optional(),
  tool_call_id: z.string().optional(),
  usage: MessageUsage.optional(),
  metadata: AnyObject.optional(),
  /** Metadata that is too deep for a document. */
  metadata_json: z.string().optional(),
});

export type StepNotesOf = z.output<typeof StepNotes>;

/** In `extra.drydock` of a call whose id another call of its step has too. */
const CallNotes = z.strictObject({ id: z.string() });

/** In `extra.drydock` of a document. */
const SessionNotes = z.strictObject({
  title: z.string().max(MAX_TITLE).optional(),
  labels: Labels.optional(),
});

const OURS = 'drydock';
const THEIRS = 'atif';

/** What a message's metadata hold for a document, and the rest. */
export function splitMetadata(metadata: JsonObject | null): { notes: MessageNotesOf; rest: JsonObject } {
  if (!metadata || !Object.hasOwn(metadata, THEIRS)) return { notes: {}, rest: metadata ?? {} };
  const { [THEIRS]: given, ...rest } = metadata;
  const notes = MessageNotes.safeParse(given);
  if (notes.success) return { notes: notes.data, rest };
  return { notes: {}, rest: metadata };
}

/** The inverse. */
export function joinMetadata(notes: MessageNotesOf, rest: JsonObject): Record<string, unknown> | null {
  const isNoted = Object.values(notes).some((note) => note !== undefined);
  const metadata = { ...rest, ...(isNoted && { [THEIRS]: notes }) };
  return Object.keys(metadata).length > 0 ? metadata : null;
}

/** What a document's extra holds for our fields, and the rest. */
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

/** The inverse; nothing where there is nothing to say. */
export function joinExtra(notes: object, rest: JsonObject): JsonObject | undefined {
  const isNoted = Object.values(notes).some((note) => note !== undefined);
  const extra = { ...rest, ...(isNoted && { [OURS]: notes }) };
  return Object.keys(extra).length > 0 ? extra : undefined;
}

/** Metadata of ours as an extra: what would be read as something else there is kept among our notes. */
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

/** The inverse, as far as it can be told without knowing the step: our notes, and all metadata. */
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
