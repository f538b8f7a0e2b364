/** Scores responses: exactly where a canary decides, by the judge model otherwise. */
import {
  isOnTopicMessages,
  judgeByCanary,
  judgeMessages,
  newFence,
  parseJudgment,
  parseOnTopic,
} from '../../platform/red-team/judging/judge.ts';
import { isRefusal } from '../../platform/red-team/judging/refusals.ts';
import type { ModelMessage } from '../../platform/red-team/ports.ts';
import { toGoalCategory } from '../../platform/red-team/scoring/severity.ts';
import type { AgentActionsOf } from '../schema.ts';
import type { FindingContext } from './context.ts';
import type { CallResult, Journal } from './journal.ts';
import { callModel, seedFields } from './model-calls.ts';

export type Judgment =
  | { readonly score: number; readonly reasoning: string; readonly isRefusal: boolean }
  | { readonly score: null; readonly error: string };

export class Judge {
  readonly #context: FindingContext;
  readonly #journal: Journal;

  constructor(context: FindingContext, journal: Journal) {
    this.#context = context;
    this.#journal = journal;
  }

  async score(
    response: string,
    actions: AgentActionsOf | null,
    judgedGoal: string | undefined,
  ): Promise<Judgment> {
    const { goal, goal_category, request } = this.#context.finding;
    const done = actions === null ? [] : describeActions(actions);
    if (request.canary !== null)
      return { ...judgeByCanary(request.canary, response, done), isRefusal: isRefusal(response) };
    const trial = {
      goal: judgedGoal ?? goal,
      goalCategory: toGoalCategory(goal_category),
      response,
      ...(done.length > 0 && { actions: done }),
    };
    // A malformed answer is asked for once more.
    for (let attempt = 0; attempt < 2; attempt++) {
      const fence = newFence([response, ...done].join('\n'));
      const { response: answer, error } = await this.#ask(judgeMessages(trial, fence));
      if (answer === null) return { score: null, error: `The judge could not be asked: ${error}` };
      const judgment = parseJudgment(answer);
      if (judgment) return { ...judgment, isRefusal: isRefusal(response) };
    }
    return { score: null, error: 'The judge answered twice without a score from 0 to 1.' };
  }

  /** A judge that does not say prunes nothing. */
  async isOnTopic(prompt: string): Promise<boolean> {
    const { goal } = this.#context.finding;
    const { response } = await this.#ask(isOnTopicMessages({ goal, prompt }, newFence(prompt)));
    return (response === null ? undefined : parseOnTopic(response)) ?? true;
  }

  #ask(messages: readonly ModelMessage[]): Promise<CallResult> {
    const model = this.#context.assessment.execution.judgeModel;
    if (model === null) throw new Error('a response has to be judged, and the plan has no judge');
    const request = {
      model,
      messages: messages.map((message) => ({ ...message })),
      temperature: 0,
      ...seedFields(this.#context, model, 0),
    };
    return this.#journal.call('judge', () => callModel(this.#context, request));
  }
}

const describeActions = ({ commands, egress, files }: AgentActionsOf) => [
  ...commands.map((command) => `command: ${command}`),
  ...egress.map((host) => `network: ${host}`),
  ...files.map((path) => `changed file: ${path}`),
];
