/**
 * Reads attack runs from the spans of a client: a `study` span with `trial` children. Names have the prefix `dreadnode.airt.` or none,
 * values are native or JSON strings, and spans come in any order and more than once. Only what spans say counts, not when they came.
 */
import { isRefusal } from '../../platform/red-team/judging/refusals.ts';
import { DEFAULT_THRESHOLD } from '../../platform/red-team/scoring/summary.ts';
import { toStorableText } from '../../platform/storable-text.ts';
import type { ReportedSpan } from '../../traces/service.ts';

export interface ReportedTrial {
  readonly index: number;
  readonly status: string;
  readonly candidate: string;
  readonly transformedPrompt: string;
  readonly response: string;
  readonly judgeReasoning: string;
  /** null where the trial did not finish. */
  readonly score: number | null;
  readonly isJailbreak: boolean;
  readonly isRefusal: boolean;
  readonly transforms: readonly string[];
  readonly error: string | null;
  readonly spanId: string;
  readonly executionSeconds: number;
}

export interface ReportedRun {
  readonly traceId: string;
  /** The span of the study; that of its first trial where the study did not arrive. */
  readonly spanId: string;
  readonly attackName: string;
  readonly goal: string;
  readonly goalCategory: string | null;
  readonly threshold: number;
  readonly transforms: readonly string[];
  readonly targetModel: string | null;
  readonly attackerModel: string | null;
  readonly evaluatorModel: string | null;
  readonly complianceTags: Readonly<Record<string, string[]>> | null;
  /** Fields that only clients give, by their names in the API. */
  readonly reported: Readonly<Record<string, string | number>>;
  readonly executionSeconds: number | null;
  readonly startTime: string;
  readonly trials: readonly ReportedTrial[];
}

const PREFIXES = ['dreadnode.airt.', 'airt.', ''];
const MAX_NAME = 255;
/** Clients that number their trials otherwise get the next free number. */
const MAX_INDEX = 1_000_000;
/** The most findings of a client's run: as many as an assessment of the server may have. */
const MAX_RUNS = 5_000;
const REPORTED_TEXTS = [
  'category',
  'sub_category',
  'risk_domain',
  'adversarial_class',
  'attack_domain',
  'distance_norm',
  'input_modality',
  'original_class',
];

/** The attributes of a span by their names without the prefix. */
class Fields {
  readonly #attributes: Readonly<Record<string, unknown>>;

  constructor(attributes: Readonly<Record<string, unknown>>) {
    this.#attributes = attributes;
  }

  raw(name: string): unknown {
    for (const prefix of PREFIXES) {
      const value = this.#attributes[prefix + name];
      if (value !== undefined && value !== null) return value;
    }
    return undefined;
  }

  text(name: string): string | null {
    const value = this.raw(name);
    if (value === undefined) return null;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return text === '' ? null : toStorableText(text);
  }

  /** A text of at most 255 characters, as names of attacks and models are. */
  name(name: string): string | null {
    return this.text(name)?.slice(0, MAX_NAME) ?? null;
  }

  /** @returns null for what is absent, empty or not a finite number */
  number(name: string): number | null {
    const given = this.raw(name);
    if (given === undefined || given === '') return null;
    const value = Number(given);
    return Number.isFinite(value) ? value : null;
  }

  /** @returns null for a negative number, which no duration is */
  seconds(name: string): number | null {
    const value = this.number(name);
    return value === null || value < 0 ? null : value;
  }

  list(name: string): readonly string[] {
    const value = parseJson(this.raw(name));
    if (Array.isArray(value)) return value.map((item) => toStorableText(String(item)));
    return typeof value === 'string' && value !== '' ? [toStorableText(value)] : [];
  }

  object(name: string): unknown {
    return parseJson(this.raw(name));
  }
}

/** @returns what a JSON string holds; any other value as it is */
function parseJson(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

const typeOf = ({ attributes }: ReportedSpan) =>
  attributes['dreadnode.type'] ?? attributes['dreadnode.airt.type'] ?? attributes['type'];

interface Group {
  study: ReportedSpan | undefined;
  readonly trials: ReportedSpan[];
}

/**
 * Groups spans into attack runs. Some clients also send a span when it begins, with another id; these are left out.
 * @returns in the order in which the runs began
 */
export function readAttackRuns(spans: readonly ReportedSpan[]): ReportedRun[] {
  const ended = spans.filter(({ attributes }) => attributes['logfire.span_type'] !== 'pending_span');
  const byId = new Map(ended.map((span) => [`${span.traceId} ${span.spanId}`, span]));
  const groups = new Map<string, Group>();
  /** Studies by trace, attack and goal. */
  const studies = new Map<string, string>();
  for (const span of byId.values()) {
    if (typeOf(span) !== 'study') continue;
    groups.set(keyOf(span), { study: span, trials: [] });
    studies.set(attackOf(span), keyOf(span));
  }
  for (const trial of byId.values()) {
    if (typeOf(trial) !== 'trial') continue;
    const key = findStudy(trial, byId, studies);
    const group = groups.get(key) ?? { study: undefined, trials: [] };
    groups.set(key, group);
    group.trials.push(trial);
  }
  return [...groups.values()]
    .map(toRun)
    .toSorted((a, b) => compare(a.startTime, b.startTime) || compare(a.spanId, b.spanId))
    .slice(0, MAX_RUNS);
}

const keyOf = ({ traceId, spanId }: ReportedSpan) => `${traceId} ${spanId}`;
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/**
 * The study above a trial; else one of the same trace, attack and goal, since spans between them may not name the assessment. Trials whose
 * study did not arrive are grouped by these.
 */
function findStudy(
  trial: ReportedSpan,
  byId: ReadonlyMap<string, ReportedSpan>,
  studies: ReadonlyMap<string, string>,
): string {
  let parent = byId.get(`${trial.traceId} ${trial.parentSpanId}`);
  for (let depth = 0; parent && depth < 100; depth++) {
    if (typeOf(parent) === 'study') return keyOf(parent);
    parent = byId.get(`${parent.traceId} ${parent.parentSpanId}`);
  }
  const attack = attackOf(trial);
  return studies.get(attack) ?? attack;
}

function attackOf({ traceId, attributes }: ReportedSpan): string {
  const fields = new Fields(attributes);
  return JSON.stringify([traceId, fields.text('attack_name'), fields.text('goal')]);
}

function toRun({ study, trials }: Group): ReportedRun {
  const inOrder = trials.toSorted(
    (a, b) => indexOf(a) - indexOf(b) || compare(a.startTime, b.startTime) || compare(a.spanId, b.spanId),
  );
  const head = study ?? inOrder[0];
  if (!head) throw new Error('a group has a study or a trial');
  // Fields that the study lacks are taken from its first trial.
  const fields = new Fields({ ...inOrder[0]?.attributes, ...head.attributes });
  const threshold = toThreshold(fields.number('jailbreak_threshold'));
  return {
    traceId: head.traceId,
    spanId: head.spanId,
    attackName: fields.name('attack_name') ?? 'unknown',
    goal: fields.text('goal') ?? '',
    goalCategory: fields.name('goal_category'),
    threshold,
    transforms: fields.list('transforms'),
    targetModel: fields.name('target_model'),
    attackerModel: fields.name('attacker_model'),
    evaluatorModel: fields.name('evaluator_model'),
    complianceTags: toTags(fields.object('compliance_tags')),
    reported: toReported(fields),
    executionSeconds: study
      ? (new Fields(study.attributes).seconds('execution_time_s') ?? study.durationSeconds)
      : null,
    startTime: head.startTime,
    trials: withDistinctIndexes(inOrder).map(({ span, index }) => toTrial(span, index, threshold)),
  };
}

/** @returns a score from which trials succeed: above 0 and at most 1 */
const toThreshold = (given: number | null) =>
  given !== null && given > 0 && given <= 1 ? given : DEFAULT_THRESHOLD;

function indexOf({ attributes }: ReportedSpan): number {
  const given = Math.trunc(new Fields(attributes).number('trial_index') ?? 0);
  return Math.min(MAX_INDEX, Math.max(0, given));
}

/** Two trials with the same index are two trials: the later one gets the next free index. */
function withDistinctIndexes(spans: readonly ReportedSpan[]) {
  let next = 0;
  return spans.map((span) => {
    const index = Math.max(next, indexOf(span));
    next = index + 1;
    return { span, index };
  });
}

function toTrial(span: ReportedSpan, index: number, threshold: number): ReportedTrial {
  const { attributes, hasFailed, statusMessage, durationSeconds, spanId } = span;
  const fields = new Fields(attributes);
  const status =
    fields.text('trial_status') ??
    new Fields(attributes).text('dreadnode.trial.status') ??
    (hasFailed ? 'failed' : 'finished');
  const candidate = fields.text('candidate') ?? '';
  const response = fields.text('response') ?? '';
  const given = fields.number('best_score') ?? fields.number('score');
  const score = status === 'finished' && given !== null ? Math.min(1, Math.max(0, given)) : null;
  return {
    index,
    status,
    candidate,
    transformedPrompt: fields.text('transformed_prompt') ?? candidate,
    response,
    judgeReasoning: fields.text('judge_reasoning') ?? '',
    score,
    isJailbreak: score !== null && score >= threshold,
    isRefusal: score !== null && isRefusal(response),
    transforms: fields.list('transforms'),
    error: status === 'finished' ? null : (fields.text('error') ?? statusMessage ?? status),
    spanId,
    executionSeconds: fields.seconds('execution_time_s') ?? Math.max(0, durationSeconds),
  };
}

function toReported(fields: Fields): Record<string, string | number> {
  const reported: Record<string, string | number> = {};
  for (const name of REPORTED_TEXTS) {
    const text = fields.text(name);
    if (text !== null) reported[name] = text;
  }
  const distance = fields.number('distance_value');
  if (distance !== null) reported['distance_value'] = distance;
  return reported;
}

function toTags(value: unknown): Record<string, string[]> | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const entries = Object.entries(value).map(([name, tags]): [string, string[]] => [
    toStorableText(name),
    (Array.isArray(tags) ? tags : [tags]).map((tag) => toStorableText(String(tag))),
  ]);
  return entries.length === 0 ? null : Object.fromEntries(entries);
}
