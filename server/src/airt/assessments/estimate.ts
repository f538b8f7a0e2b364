/** Estimates the trials, calls and cost of an assessment before it is created. */
import type { z } from 'zod';
import { estimateTokens } from '../../evaluations/service.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import { type CreateRules, checkRequest } from './create.ts';
import { type PlanOptions, planRun, type RunPlan } from './plan.ts';
import type { AssessmentEstimateResponse, CreateRequest } from './schema.ts';

/** Assumed tokens of calls to the attacker and the judge, which read prompts of ours and the text of the trial. */
const ATTACKER = { input: 900, output: 300 };
const JUDGE = { input: 800, output: 150 };

export async function estimateAssessment(
  options: PlanOptions & CreateRules,
  scope: WorkspaceScope,
  request: CreateRequest,
  signal: AbortSignal,
): Promise<z.output<typeof AssessmentEstimateResponse>> {
  checkRequest(options, request);
  const plan = await planRun(options, scope, request, signal);
  const { targetModel, attackerModel, judgeModel, target, budgetUsd } = plan.execution;
  const calls = countCalls(plan);
  const goals = plan.findings.reduce((sum, { goal }) => sum + goal.length, 0) / plan.findings.length;
  const perTarget = estimateTokens(goals + 600, target.kind === 'agent');
  const priceOf = async (model: string | null) =>
    model === null
      ? { input_price: 0, output_price: 0 }
      : (await options.inference.getModel(scope.organizationId, model)).price;
  const parts = [
    { count: calls.target, tokens: perTarget, price: await priceOf(targetModel) },
    { count: calls.attacker, tokens: ATTACKER, price: await priceOf(attackerModel) },
    { count: calls.judge, tokens: JUDGE, price: await priceOf(judgeModel) },
  ];
  const sum = (toNumber: (part: (typeof parts)[number]) => number) =>
    parts.reduce((total, part) => total + toNumber(part), 0);
  const cost = sum(
    ({ count, tokens, price }) =>
      (count * (tokens.input * price.input_price + tokens.output * price.output_price)) / 1_000_000,
  );
  return {
    findings: plan.findings.length,
    trials: plan.findings.reduce((total, finding) => total + finding.request.trials, 0),
    calls,
    input_tokens: Math.round(sum(({ count, tokens }) => count * tokens.input)),
    output_tokens: Math.round(sum(({ count, tokens }) => count * tokens.output)),
    cost_usd: cost,
    warnings:
      budgetUsd !== null && cost > budgetUsd
        ? [`The estimate is above budget_usd ${budgetUsd}; the run would end early.`]
        : [],
  };
}

/** Counts calls at most: an attack stops at its first success, and a canary needs no judge. */
function countCalls({ findings }: RunPlan) {
  const calls = { attacker: 0, target: 0, judge: 0 };
  for (const { attack, request } of findings) {
    const { attacker, target, judge } = attack.callsPerTrial;
    calls.attacker += Math.ceil(attacker * request.trials);
    calls.target += Math.ceil(target * request.trials);
    calls.judge += request.canary === null ? Math.ceil(judge * request.trials) : 0;
  }
  return calls;
}
