/** Writes a trajectory as an ATIF 1.7 document, step by step. */
import { joinExtra } from './atif-notes.ts';
import { type StepContext, toGivenOrder } from './atif-results.ts';
import {
  ATIF_VERSION,
  type FinalMetricsOf,
  isCompaction,
  isJsonObject,
  type JsonObject,
  type ResultOf,
  type StepOf,
  type TrajectoryOf,
} from './atif-schema.ts';
import {
  asMessage,
  findPartOfStep,
  type NewStep,
  toCompactionStep,
  toMessageStep,
  toOrphanStep,
  toSystemStep,
} from './atif-steps.ts';
import { writeArray, writeObject } from './json-stream.ts';
import type { TrajectorySource } from './source.ts';
import type { Turn } from './turns.ts';

/** Document-level members of an imported document that the next export returns, under the key `atif`. */
export interface ImportedAtif {
  readonly agent?: {
    readonly name?: string | undefined;
    readonly version?: string | undefined;
    readonly extra?: JsonObject | undefined;
  };
  /** The placeholder that an import used because the document did not name a model. */
  readonly assumed_model?: string | undefined;
  /** Members of the first step besides its text, if it is the system prompt. */
  readonly prompt?: { readonly content: string; readonly step: Partial<NewStep> } | undefined;
  readonly notes?: string | undefined;
  readonly continued_trajectory_ref?: string | undefined;
  readonly extra?: JsonObject | undefined;
  readonly subagent_trajectories?: readonly TrajectoryOf[] | undefined;
  /** Valid only while the transcript is that of the imported document. */
  readonly final_metrics?: FinalMetricsOf | undefined;
  readonly message_count?: number | undefined;
}

export const UNKNOWN = 'unknown';

export function writeAtif(source: TrajectorySource, turns: AsyncIterable<Turn>): AsyncIterable<string> {
  const { session } = source;
  const imported = (source.imported?.['atif'] ?? {}) as ImportedAtif;
  const steps = new Steps(imported);
  const { title, labels } = session;
  const ours = { title: title ?? undefined, labels: Object.keys(labels).length > 0 ? labels : undefined };
  return writeObject({
    schema_version: ATIF_VERSION,
    session_id: session.id,
    trajectory_id: session.id,
    agent: toAgent(source, imported),
    steps: writeArray(steps.write(turns)),
    final_metrics: () => steps.toFinalMetrics(source),
    notes: imported.notes,
    continued_trajectory_ref: imported.continued_trajectory_ref,
    extra: joinExtra(ours, imported.extra ?? {}),
    subagent_trajectories: imported.subagent_trajectories,
  });
}

function toAgent(
  { session, tools }: TrajectorySource,
  { agent, assumed_model }: ImportedAtif,
): TrajectoryOf['agent'] {
  // Sessions from other formats may have tools of any shape.
  const definitions = tools?.filter(isJsonObject);
  return {
    name: session.agent ?? agent?.name ?? UNKNOWN,
    version: agent?.version ?? UNKNOWN,
    ...(session.model !== assumed_model && { model_name: session.model }),
    ...(definitions && { tool_definitions: definitions }),
    ...(agent?.extra && { extra: agent.extra }),
  };
}

type AgentTurn = Exclude<Turn, { kind: 'prompt' }>;

/** A step whose position is not known yet, or the text of a prompt. */
type Piece = NewStep | string;

class Steps {
  readonly #totals = new AtifTotals();
  readonly #imported: ImportedAtif;
  readonly #context: StepContext;
  #messageCount = 0;

  constructor(imported: ImportedAtif) {
    this.#imported = imported;
    const embedded = imported.subagent_trajectories ?? [];
    this.#context = { subagents: new Set(embedded.map(({ trajectory_id }) => trajectory_id ?? '')) };
  }

  /** Totals of the imported document are valid only if the export contains all of its messages and no others. */
  toFinalMetrics({ lastSeq, rewindCount }: TrajectorySource): FinalMetricsOf {
    const { message_count, final_metrics, notes } = this.#imported;
    const isAsImported =
      message_count === this.#messageCount && message_count === lastSeq && rewindCount === 0;
    const totals = this.#totals.toMetrics();
    if (!final_metrics || !isAsImported) return totals;
    // Only notes could explain a step count that differs.
    return notes === undefined ? { ...final_metrics, total_steps: totals.total_steps } : final_metrics;
  }

  async *write(turns: AsyncIterable<Turn>): AsyncIterable<StepOf> {
    let step_id = 0;
    for await (const piece of this.#join(turns)) {
      const step = { step_id: ++step_id, ...this.#toStep(piece, step_id === 1) };
      this.#totals.add(step);
      yield step;
    }
  }

  /** Lags one step behind, because the next message may be part of the same step. */
  async *#join(turns: AsyncIterable<Turn>): AsyncIterable<Piece> {
    let last: { readonly step: NewStep; readonly turn: AgentTurn } | undefined;
    let prompt: string | undefined;
    let isEmpty = true;
    for await (const turn of turns) {
      isEmpty = false;
      if (turn.kind === 'prompt') {
        // A prompt that is directly followed by another one was never in force.
        prompt = turn.content;
        continue;
      }
      this.#messageCount += turn.kind === 'message' ? 1 + turn.results.length : 1;
      const isPart = turn.kind === 'orphan' && last?.turn.kind === 'message' && prompt === undefined;
      const part = isPart ? findPartOfStep(this.#context, turn.message) : undefined;
      if (part && last) {
        addResult(last.step, part);
        continue;
      }
      if (last) yield toEnded(last);
      if (prompt !== undefined) yield prompt;
      prompt = undefined;
      last = { step: toNewStep(this.#context, turn), turn };
    }
    if (last) yield toEnded(last);
    if (prompt !== undefined) yield prompt;
    // A document needs at least one step.
    if (isEmpty) yield toSystemStep('', 'empty');
  }

  /** A first system step is the prompt unless marked otherwise; all other prompts are marked. */
  #toStep(piece: Piece, isFirst: boolean): NewStep {
    if (typeof piece === 'string') {
      if (!isFirst) return toSystemStep(piece, 'prompt');
      const { prompt } = this.#imported;
      return { ...toSystemStep(piece), ...(prompt?.content === piece && prompt.step) };
    }
    const isLikePrompt = isFirst && piece.source === 'system' && !piece.observation;
    return isLikePrompt ? asMessage(piece) : piece;
  }
}

function toNewStep(context: StepContext, turn: AgentTurn): NewStep {
  if (turn.kind === 'compaction') return toCompactionStep(context, turn.summary);
  if (turn.kind === 'orphan') return toOrphanStep(context, turn.message);
  return toMessageStep(context, turn.message, turn.results);
}

function addResult(step: NewStep, result: ResultOf): void {
  step.observation ??= { results: [] };
  step.observation.results.push(result);
}

function toEnded({ step, turn }: { readonly step: NewStep; readonly turn: AgentTurn }): NewStep {
  if (turn.kind !== 'message' || !step.observation) return step;
  return { ...step, observation: { results: toGivenOrder(turn.message, step.observation.results) } };
}

const COST_DIGITS = 12;

class AtifTotals {
  #steps = 0;
  #compactions = 0;
  #promptTokens = 0;
  #completionTokens = 0;
  #cachedTokens = 0;
  #cost = 0;
  #isPriced = true;

  add({ source, metrics, extra }: StepOf): void {
    this.#steps++;
    if (source === 'system' && isCompaction(extra?.['context_management'])) this.#compactions++;
    if (!metrics) return;
    this.#promptTokens += metrics.prompt_tokens ?? 0;
    this.#completionTokens += metrics.completion_tokens ?? 0;
    this.#cachedTokens += metrics.cached_tokens ?? 0;
    this.#cost += metrics.cost_usd ?? 0;
    this.#isPriced &&= typeof metrics.cost_usd === 'number';
  }

  /** Omits the cost if any step lacks one: a partial sum would look like the total. */
  toMetrics(): FinalMetricsOf {
    return {
      total_prompt_tokens: exact(this.#promptTokens),
      total_completion_tokens: exact(this.#completionTokens),
      total_cached_tokens: exact(this.#cachedTokens),
      ...(this.#isPriced && { total_cost_usd: Number(this.#cost.toFixed(COST_DIGITS)) }),
      total_steps: this.#steps,
      ...(this.#compactions > 0 && { extra: { compaction_count: this.#compactions } }),
    };
  }
}

/** Imported documents may contain arbitrarily large counts; a sum that is not exact is omitted. */
const exact = (sum: number) => (Number.isSafeInteger(sum) ? sum : undefined);
