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
export { createEvaluation } from './creation/create.ts';
export type { EvaluatedRow } from './creation/dataset-rows.ts';
export { estimateTokens } from './creation/estimate.ts';
export { findAgent } from './creation/find-agent.ts';
export { findNamedTasks, findSetTasks } from './creation/find-tasks.ts';
export { planEvaluation, requireJudges } from './creation/plan.ts';
export { EvaluationCreateRequest, type EvaluationRequest, RewardRecipe } from './creation/schema.ts';
export { listSampleSessions, type SampleSession } from './reading/items.ts';
export {
  findMeasured,
  listAttackedTasks,
  type MeasuredEvaluation,
} from './reading/measured.ts';
export { listEvaluationsOf } from './reading/of-versions.ts';
export { toModelResponse } from './running/agent/gateway-model.ts';
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
export type { EvaluatedDataset } from './stored-request.ts';
