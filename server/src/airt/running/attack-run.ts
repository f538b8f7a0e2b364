/** One run of an attack on a goal: gives the attack its models, its target and its judge, and ends it at its budget or first success. */
import { createHash } from 'node:crypto';
import { PythonRandom } from '../../platform/random/python-random.ts';
import { findAttack } from '../../platform/red-team/attacks/catalogue.ts';
import type { AttackContext, ModelMessage, Probe, Trial } from '../../platform/red-team/ports.ts';
import { toGoalCategory } from '../../platform/red-team/scoring/severity.ts';
import { applyChain, TransformedTextTooLong } from '../../platform/red-team/transforms/apply-chain.ts';
import type { AgentActionsOf } from '../schema.ts';
import type { StoredDelivery } from '../stored-run.ts';
import type { FindingContext } from './context.ts';
import type { CallResult, Journal } from './journal.ts';
import { Judge, type Judgment } from './judge.ts';
import { callModel, seedFields } from './model-calls.ts';
import type { Target, TargetDetails } from './targets/target.ts';

/** A trial with what is stored about it besides. */
export interface RunTrial extends Trial {
  readonly executionSeconds: number;
  readonly sessionId: string | null;
  readonly actions: AgentActionsOf | null;
  readonly delivery: StoredDelivery | null;
}

const NO_TRIALS =
  'The attack sent nothing: the attacker wrote no usable prompt, or every prompt was off topic. Choose another attacker model.';

/** The attacker model could not be called, so the attack cannot continue. */
class AttackerFailed extends Error {}

export class AttackRun {
  readonly #context: FindingContext;
  readonly #journal: Journal;
  readonly #target: Target;
  readonly #judge: Judge;
  readonly #random: PythonRandom;
  #trialCount = 0;
  /** What is stored of a trial and not part of what an attack sees. */
  readonly #details = new WeakMap<Trial, Omit<RunTrial, keyof Trial>>();

  constructor(context: FindingContext, journal: Journal, target: Target) {
    this.#context = context;
    this.#journal = journal;
    this.#target = target;
    this.#judge = new Judge(context, journal);
    this.#random = new PythonRandom(seedOf(context));
  }

  async *trials(): AsyncGenerator<RunTrial> {
    const { trials, exhaustive } = this.#context.finding.request;
    try {
      for await (const trial of this.#attempts()) {
        yield { ...trial, ...this.#detailsOf(trial) };
        if (this.#trialCount >= trials || (trial.isJailbreak && !exhaustive)) return;
      }
      // A target that was never called has not resisted.
      if (this.#trialCount === 0) yield this.#toStopped(NO_TRIALS);
    } catch (error) {
      if (!(error instanceof AttackerFailed)) throw error;
      yield this.#toStopped(error.message);
    }
  }

  /** A trial that says why the attack could not go on. */
  #toStopped(why: string): RunTrial {
    const trial = this.#failedTrial('', '', [], why);
    return { ...trial, ...this.#detailsOf(trial) };
  }

  async *#attempts(): AsyncGenerator<Trial> {
    const { finding } = this.#context;
    for (const candidate of finding.request.replayed) yield await this.#probe({ candidate, transforms: [] });
    const attack = findAttack(finding.attack_name);
    if (!attack) throw new Error(`attack ${finding.attack_name} is not known to this version of the server`);
    yield* attack.run(this.#toAttackContext());
  }

  #detailsOf(trial: Trial): Omit<RunTrial, keyof Trial> {
    return (
      this.#details.get(trial) ?? { executionSeconds: 0, sessionId: null, actions: null, delivery: null }
    );
  }

  #toAttackContext(): AttackContext<never> {
    const { goal, goal_category, request } = this.#context.finding;
    const { canary, trials, threshold, chains, params } = request;
    return {
      goal,
      goalCategory: toGoalCategory(goal_category),
      canary,
      trials,
      threshold,
      chains,
      params: params as never,
      random: this.#random,
      evaluator: { isOnTopic: (prompt) => this.#judge.isOnTopic(prompt) },
      askAttacker: (messages) => this.#askAttacker(messages),
      probe: (probe) => this.#probe(probe),
    };
  }

  async #askAttacker(messages: readonly ModelMessage[]): Promise<string> {
    const { execution } = this.#context.assessment;
    const model = execution.attackerModel;
    if (model === null) throw new Error('the attack asks for an attacker, and the plan has none');
    const seq = this.#journal.nextSeq;
    const { response, error } = await this.#journal.call('attacker', () =>
      callModel(this.#context, {
        model,
        messages: messages.map((message) => ({ ...message })),
        ...execution.attackerSampling,
        ...seedFields(this.#context, model, seq),
      }),
    );
    if (response === null) throw new AttackerFailed(`The attacker could not be asked: ${error}`);
    return response;
  }

  async #probe(probe: Probe): Promise<Trial> {
    const startedAt = performance.now();
    const { chains, replayed } = this.#context.finding.request;
    const { candidate, transforms: given, judgedGoal, ...how } = probe;
    // Replayed prompts come first and do not count here, so that the attack of a retest has the chains and seeds that it had before.
    const index = this.#trialCount;
    const ownIndex = index < replayed.length ? index : index - replayed.length;
    const transforms = given ?? chains[ownIndex % Math.max(1, chains.length)] ?? [];
    const prompt = await this.#transform(candidate, transforms);
    if (prompt instanceof TransformedTextTooLong)
      return this.#failedTrial(candidate, '', transforms, prompt.message);
    const sent = { prompt, ...how, trialIndex: ownIndex, seq: this.#journal.nextSeq };
    const result = await this.#journal.call('target', () => this.#target.send(sent));
    const { sessionId = null, actions = null } = (result.details ?? {}) as Partial<TargetDetails>;
    const trial =
      result.response === null
        ? this.#failedTrial(candidate, prompt, transforms, result.error)
        : await this.#judged({ candidate, prompt, transforms, judgedGoal }, result.response, actions);
    const executionSeconds = (performance.now() - startedAt) / 1_000;
    this.#details.set(trial, { executionSeconds, sessionId, actions, delivery: toDelivery(probe) });
    return trial;
  }

  #transform(candidate: string, transforms: readonly string[]): Promise<string | TransformedTextTooLong> {
    const tools = {
      random: this.#random,
      askAttacker: (messages: readonly ModelMessage[]) => this.#askAttacker(messages),
    };
    return applyChain(transforms, candidate, tools).catch((error: unknown) => {
      if (error instanceof TransformedTextTooLong) return error;
      throw error;
    });
  }

  async #judged(
    sent: Pick<Probe, 'candidate'> & {
      readonly judgedGoal: string | undefined;
      readonly prompt: string;
      readonly transforms: readonly string[];
    },
    response: string,
    actions: AgentActionsOf | null,
  ): Promise<Trial> {
    const { candidate, prompt, transforms, judgedGoal } = sent;
    const judgment: Judgment = await this.#judge.score(response, actions, judgedGoal);
    if (judgment.score === null)
      return { ...this.#failedTrial(candidate, prompt, transforms, judgment.error), response };
    const { score, reasoning, isRefusal } = judgment;
    return {
      index: this.#trialCount++,
      candidate,
      transformedPrompt: prompt,
      transforms,
      response,
      score,
      isJailbreak: score >= this.#context.finding.request.threshold,
      isRefusal,
      judgeReasoning: reasoning,
      error: null,
    };
  }

  #failedTrial(
    candidate: string,
    prompt: string,
    transforms: readonly string[],
    error: CallResult['error'],
  ): Trial {
    return {
      index: this.#trialCount++,
      candidate,
      transformedPrompt: prompt,
      transforms,
      response: '',
      score: null,
      isJailbreak: false,
      isRefusal: false,
      judgeReasoning: '',
      error: error ?? 'The trial failed without a reason.',
    };
  }
}

/** @returns null for a prompt that was sent alone */
function toDelivery({ history = [], indirect, judgedGoal, tools = [] }: Probe): StoredDelivery | null {
  const delivery = {
    ...(history.length > 0 && { history }),
    ...(indirect && { indirect }),
    ...(judgedGoal !== undefined && { judgedGoal }),
    ...(tools.length > 0 && { tools: tools.map(({ name }) => name) }),
  };
  return Object.keys(delivery).length === 0 ? null : delivery;
}

/** The same seed, attack and goal give the same draws, whatever else is in the assessment. */
function seedOf({ assessment, finding }: FindingContext): bigint {
  const text = JSON.stringify([assessment.execution.seed, finding.attack_name, finding.goal]);
  return createHash('sha256').update(text).digest().readBigUInt64BE();
}
