/** The models that are built in: they answer without any provider, always alike, and say that they are simulated. */
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
  /** Answers with the text of the user's last message. */
  echo: planEcho,
  /** Follows a script that lies in the conversation. */
  scripted: planScripted,
  /** Runs the shell block of its instruction, and answers with the last line of the output. */
  'tool-user': planToolUser,
  /** The same, with mistakes in 30 % of the samples. */
  'noisy-tool-user': planNoisyToolUser,
  /** Solves small questions in the form that the rules in its instructions ask for. */
  instructed: planInstructed,
  /** Adds the rule that examples lack to the instructions of `instructed`. */
  reflector: planReflector,
  /** Refuses a list of topics, with weaknesses: a target for red-team runs. */
  guarded: planGuarded,
  /** Writes the prompts of a red-team attacker by rule. */
  attacker: planAttacker,
  /** Scores responses of `guarded` by rule. */
  judge: planJudge,
  /** Makes embeddings, and answers no chats. */
  embedder: planEmbedder,
} satisfies Record<string, Planner>;

/** What comes after `sim/` in the id of the model. */
export type SimulatedName = keyof typeof PLANNERS;

export function createSimulatedModel(name: SimulatedName): EmbeddingChatModel {
  const model = createPlannedModel(PLANNERS[name]);
  return name === 'embedder' ? { ...model, embeddings: EMBEDDER } : model;
}
