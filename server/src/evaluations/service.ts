/** Evaluations for other domains: scoring candidates, running an agent once, finding tasks and agents, estimating tokens, reading texts of capabilities and model responses. */
export {
  type AgentRun,
  type AgentRunState,
  cancelAgentRuns,
  findAgentRun,
  startAgentRun,
} from './agent-runs.ts';
export { deleteAgentRuns } from './control/deletion.ts';
export { BASIC, readCapabilityTexts, toAgentPrompt } from './creation/capability-texts.ts';
export type { EvaluatedRow } from './creation/dataset-rows.ts';
export { estimateTokens } from './creation/estimate.ts';
export { findAgent } from './creation/find-agent.ts';
export { findNamedTasks } from './creation/find-tasks.ts';
export { RewardRecipe } from './creation/schema.ts';
export { toModelResponse } from './running/gateway-model.ts';
export { isOutOfCredits } from './running/run-item.ts';
export {
  cancelScorings,
  getScoring,
  listOutputs,
  listScored,
  retryUnscored,
  type SampleOutput,
  type ScoredSample,
  type Scoring,
  startScoring,
} from './scoring.ts';
