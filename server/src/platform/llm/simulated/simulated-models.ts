/** The built-in models: they respond without any provider, deterministically, and label themselves as simulated. */
import type { EmbeddingChatModel } from '../embedding-model.ts';
import { planEcho } from './echo.ts';
import { EMBEDDER, planEmbedder } from './embedder.ts';
import { planInstructed } from './instructed/instructed.ts';
import { planReflector } from './instructed/reflector.ts';
import type { Planner } from './plan.ts';
import { createPlannedModel } from './planned-model.ts';
import { planAttacker } from './red-team/attacker.ts';
import { planGuarded } from './red-team/guarded.ts';
import { planJudge } from './red-team/judge.ts';
import { planScripted } from './scripted.ts';
import { planNoisyToolUser, planToolUser } from './tool-user.ts';

const PLANNERS = {
  /** Repeats the text of the last user message. */
  echo: planEcho,
  /** Follows a script in the conversation. */
  scripted: planScripted,
  /** Runs the shell block of its instruction, and answers with the last line of the output. */
  'tool-user': planToolUser,
  /** Same as `tool-user`, with mistakes in 30 % of the samples. */
  'noisy-tool-user': planNoisyToolUser,
  /** Solves small questions in the form demanded by the rules in its instructions. */
  instructed: planInstructed,
  /** Adds the rule that examples lack to the instructions of `instructed`. */
  reflector: planReflector,
  /** Refuses a list of topics, with weaknesses: a target for red-team runs. */
  guarded: planGuarded,
  /** Writes the prompts of a red-team attacker by rule. */
  attacker: planAttacker,
  /** Scores responses of `guarded` by rule. */
  judge: planJudge,
  /** Creates embeddings, and refuses chats. */
  embedder: planEmbedder,
} satisfies Record<string, Planner>;

/** Part of the model id after `sim/`. */
export type SimulatedName = keyof typeof PLANNERS;

export function createSimulatedModel(name: SimulatedName): EmbeddingChatModel {
  const model = createPlannedModel(PLANNERS[name]);
  return name === 'embedder' ? { ...model, embeddings: EMBEDDER } : model;
}
