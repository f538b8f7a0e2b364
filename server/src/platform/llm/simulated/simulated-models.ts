/** The models that are built in: they answer without any provider, always alike, and say that they are simulated. */
import type { ChatModel } from '../chat-model.ts';
import { planEcho } from './echo.ts';
import type { Planner } from './plan.ts';
import { createPlannedModel } from './planned-model.ts';
import { planScripted } from './scripted.ts';

const PLANNERS = {
  /** Answers with the text of the user's last message. */
  echo: planEcho,
  /** Follows a script that lies in the conversation. */
  scripted: planScripted,
} satisfies Record<string, Planner>;

/** @param name what comes after `sim/` in the id of the model */
export const createSimulatedModel = (name: keyof typeof PLANNERS): ChatModel =>
  createPlannedModel(PLANNERS[name]);
