/** Creates an evaluation: plans it, stores it and enqueues its job. */
import { audit } from '../../platform/audit/audit.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import { transactionFor } from '../../platform/db/transaction.ts';
import type { JobQueue } from '../../platform/jobs/queue.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { EVALUATION } from '../evaluation-kind.ts';
import { getEvaluation } from '../reading/store.ts';
import type { EvaluationOf } from '../schema.ts';
import type { StoredAgent, StoredRequest } from '../stored-request.ts';
import type { FoundAgent } from './find-agent.ts';
import { insertEvaluation } from './insert.ts';
import { type EvaluationPlan, type PlanOptions, planEvaluation } from './plan.ts';
import { EvaluationLimits, type EvaluationRequest } from './schema.ts';

export interface CreateOptions extends PlanOptions {
  readonly queue: Pick<JobQueue, 'enqueue'>;
}

export async function createEvaluation(
  options: CreateOptions,
  scope: WorkspaceScope,
  request: EvaluationRequest,
  signal: AbortSignal,
  { id = uuidv7(), gateCheckId = null }: { readonly id?: string; readonly gateCheckId?: string | null } = {},
): Promise<EvaluationOf> {
  const plan = await planEvaluation(options, scope, request, signal);
  const { organizationId, workspaceId, principal } = scope;
  const { name, model, concurrency, repetitions, budget_usd = null } = request;
  return transactionFor(options.db, scope, async (trx) => {
    await insertEvaluation(
      trx,
      { organizationId, workspaceId, userId: principal.userId },
      {
        id,
        name,
        model,
        concurrency,
        repetitions,
        projectId: request.project_id ?? null,
        tags: request.tags ?? [],
        budgetUsd: budget_usd,
        request: toStoredRequest(request, plan),
        execution: {
          agent: plan.agent && toStoredAgent(plan.agent),
          template: plan.template,
        },
        tasks: plan.tasks,
        rows: plan.rows,
        capability: plan.agent?.capability ?? null,
        dataset: plan.dataset?.evaluated ?? null,
        skipped: plan.skipped,
        parent: null,
        gateCheckId,
      },
    );
    await options.queue.enqueue(trx, EVALUATION, { organizationId, id });
    const after = { workspace_id: workspaceId, name, model, total_samples: plan.totalSamples, budget_usd };
    await audit(trx, scope, { action: 'evaluation.created', resource: `evaluations/${id}`, after });
    return getEvaluation(trx, scope, id);
  });
}

function toStoredRequest(request: EvaluationRequest, plan: EvaluationPlan): StoredRequest {
  const { task_names, task_set, dataset, agent, repetitions, max_retries } = request;
  const { runtime_id, secret_ids, seed } = request;
  const capability = plan.agent?.capability;
  return {
    task_names: task_names ?? null,
    task_set: task_set ?? null,
    dataset: dataset && plan.dataset ? { ...dataset, version: plan.dataset.version } : null,
    scorers: plan.scorers,
    agent: toShownAgent(agent),
    capability: capability ? { name: capability.name, version: capability.version } : null,
    repetitions,
    limits: EvaluationLimits.parse({ ...request.limits, task_timeout_seconds: plan.timeoutSeconds }),
    max_retries,
    runtime_id: runtime_id ?? null,
    secret_ids: secret_ids ?? [],
    seed: seed ?? null,
  };
}

const toStoredAgent = ({ name, systemPrompt, program }: FoundAgent): StoredAgent => ({
  name,
  systemPrompt,
  ...(program && { program }),
});

const MASK = '***';

function toShownAgent(agent: EvaluationRequest['agent']): StoredRequest['agent'] {
  if (typeof agent !== 'object' || agent === null) return agent ?? null;
  const names = Object.keys(agent.env ?? {});
  const env = Object.fromEntries(names.map((name) => [name, MASK]));
  return { command: agent.command, env, setup: agent.setup ?? null };
}
