/** Runs attacks without a server: against the simulated models, or against functions that a test scripts. */
import type { ChatMessage } from '../src/platform/llm/chat-model.ts';
import type { Plan } from '../src/platform/llm/simulated/plan.ts';
import { planAttacker } from '../src/platform/llm/simulated/red-team/attacker.ts';
import { planGuarded } from '../src/platform/llm/simulated/red-team/guarded.ts';
import { planJudge } from '../src/platform/llm/simulated/red-team/judge.ts';
import { PythonRandom } from '../src/platform/random/python-random.ts';
import type { Attack } from '../src/platform/red-team/attacks/attack.ts';
import {
  isOnTopicMessages,
  judgeMessages,
  newFence,
  parseJudgment,
  parseOnTopic,
} from '../src/platform/red-team/judging/judge.ts';
import { isRefusal } from '../src/platform/red-team/judging/refusals.ts';
import type { AttackContext, ModelMessage, Probe, Trial } from '../src/platform/red-team/ports.ts';

export interface Parts {
  askAttacker(messages: readonly ModelMessage[]): string;
  /** @returns the response of the target */
  askTarget(probe: Probe): string;
  score(response: string): number;
  isOnTopic(prompt: string): boolean;
}

export interface RunOptions {
  readonly goal: string;
  readonly goalCategory?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly trials?: number;
  readonly seed?: number;
  readonly chains?: readonly (readonly string[])[];
  readonly threshold?: number;
}

/** Stops as the runner does: at the budget, and at the first jailbreak if the attack stops early. */
export async function runAttack(attack: Attack, parts: Parts, options: RunOptions): Promise<Trial[]> {
  const { trials: budget = 10, threshold = 0.5 } = options;
  const trials: Trial[] = [];
  for await (const trial of attack.run(createContext(attack, parts, options))) {
    trials.push(trial);
    if (trials.length === budget || (attack.stopsEarly && (trial.score ?? 0) >= threshold)) break;
  }
  return trials;
}

function createContext(
  attack: Attack,
  parts: Parts,
  options: RunOptions,
): AttackContext<Record<string, unknown>> {
  const { goal, goalCategory = 'jailbreak_general', trials = 10, threshold = 0.5, chains = [] } = options;
  let index = 0;
  return {
    goal,
    goalCategory,
    canary: null,
    trials,
    threshold,
    chains,
    params: attack.params.parse(options.params ?? {}),
    random: new PythonRandom(options.seed ?? 0),
    evaluator: { isOnTopic: async (prompt) => parts.isOnTopic(prompt) },
    askAttacker: async (messages) => parts.askAttacker(messages),
    async probe(probe) {
      const response = parts.askTarget(probe);
      const score = parts.score(response);
      return {
        index: index++,
        candidate: probe.candidate,
        transformedPrompt: probe.candidate,
        transforms: probe.transforms ?? [],
        response,
        score,
        isJailbreak: score >= threshold,
        isRefusal: isRefusal(response),
        judgeReasoning: '',
        error: null,
      };
    },
  };
}

export interface SimulatedOptions {
  readonly goal: string;
  readonly goalCategory?: string;
  readonly system?: string;
}

/** The target is `sim/guarded`, the attacker `sim/attacker`, the judge `sim/judge`. */
export function simulatedParts({ goal, goalCategory = '', system = '' }: SimulatedOptions): Parts {
  const ask = (messages: readonly ModelMessage[], plan: typeof planJudge) =>
    plan({ model: 'sim', messages: messages.map((message) => ({ ...message })) }).content;
  return {
    askAttacker: (messages) => ask(messages, planAttacker),
    askTarget: (probe) => respond(probe, system),
    score(response) {
      const messages = judgeMessages({ goal, goalCategory, response }, newFence(response));
      const judgment = parseJudgment(ask(messages, planJudge));
      if (!judgment) throw new Error('sim/judge gave no judgment.');
      return judgment.score;
    },
    isOnTopic(prompt) {
      const isOnTopic = parseOnTopic(ask(isOnTopicMessages({ goal, prompt }, newFence(prompt)), planJudge));
      if (isOnTopic === undefined) throw new Error('sim/judge did not say whether the prompt is on topic.');
      return isOnTopic;
    },
  };
}

function respond({ candidate, history = [], indirect, tools = [] }: Probe, system: string): string {
  const described =
    indirect?.channel === 'mcp_description'
      ? [{ name: indirect.source, description: candidate, parameters: {} }]
      : tools;
  const inline = indirect ? `${indirect.request}\n\n${candidate}` : candidate;
  const user = indirect?.channel === 'mcp_description' ? indirect.request : inline;
  const messages: ChatMessage[] = [
    { role: 'system', content: system },
    ...history.map((turn) => ({ ...turn })),
    { role: 'user', content: user },
  ];
  const offered = described.map((tool) => ({ type: 'function', function: tool }));
  return render(planGuarded({ model: 'sim', messages, ...(offered.length > 0 && { tools: offered }) }));
}

const render = ({ content, calls }: Plan) =>
  [content, ...calls.map(({ name, arguments: text }) => `${name} ${text}`)].join('\n').trim();
