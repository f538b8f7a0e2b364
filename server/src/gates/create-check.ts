/** Creates a check of a gate: everything that can be wrong with it is found before it is stored. */
import { findProjectId } from '../accounts/service.ts';
import { planAssessment, type StartOptions } from '../airt/service.ts';
import { planEvaluation } from '../evaluations/service.ts';
import { findModelNode } from '../inference/service.ts';
import { audit } from '../platform/audit/audit.ts';
import { requireScope } from '../platform/auth/gate.ts';
import type { WorkspaceScope } from '../platform/auth/principal.ts';
import { type Trx, transactionFor } from '../platform/db/transaction.ts';
import { explainViolation } from '../platform/db/violations.ts';
import { ApiError, invalidValue } from '../platform/errors.ts';
import { recordLineage, toArtifactNode, toWorkspaceNode } from '../platform/lineage/lineage.ts';
import { uuidv7 } from '../platform/uuid.ts';
import { getCapability } from '../registry/service.ts';
import { DEFAULT_PROJECT } from './check-job.ts';
import { GATE_CHECK } from './check-kind.ts';
import { getCheck } from './checks.ts';
import { toAssessmentRequest, toEvaluationRequest } from './requests.ts';
import type { CheckRequest, GateCheckOf, GateSettingsOf } from './schema.ts';
import { gateNotFound, getGate, settingsOf } from './store.ts';
import { runsOf } from './stored-check.ts';

/** @throws {ApiError} `validation_error` for a version that does not exist, and for a rule that cannot be checked */
export async function createCheck(
  options: StartOptions,
  scope: WorkspaceScope,
  given: string,
  request: CheckRequest,
  signal: AbortSignal,
): Promise<GateCheckOf> {
  const { db, queue } = options;
  const { organizationId, workspaceId, principal } = scope;
  const gate = await getGate(db, scope, given);
  if (gate.rules.some(({ kind }) => kind === 'asr')) requireScope(principal, 'airt:write');
  const settings = settingsOf(gate);
  const target = await findTarget(options, scope, request, settings);
  const id = uuidv7();
  const check = { id, gate_name: gate.name, ...target, rules: gate.rules, settings };
  const projectId = await findProjectId(db, scope, settings.project ?? DEFAULT_PROJECT);
  if (projectId === undefined)
    throw new ApiError(
      'conflict_error',
      `The project "${settings.project ?? DEFAULT_PROJECT}" of the gate does not exist. Create it, or change the gate.`,
    );
  for (const run of runsOf(id, gate.rules)) {
    const at = run.rules[0] ?? 0;
    await explainRule(at, async () => {
      if (run.kind === 'evaluation')
        await planEvaluation(options, scope, toEvaluationRequest(check, run, projectId), signal);
      else await planAssessment(options, scope, toAssessmentRequest(check, run), signal);
    });
  }
  return transactionFor(db, scope, async (trx) => {
    const insert = trx
      .insertInto('gate_checks')
      .values({
        organization_id: organizationId,
        id,
        gate_id: gate.id,
        workspace_id: workspaceId,
        created_by: principal.userId,
        capability: target.capability,
        version: target.version,
        version_id: target.chosen?.versionId ?? null,
        model: target.model,
        rules: JSON.stringify(gate.rules),
        settings: JSON.stringify(settings),
      })
      .execute();
    await explainViolation(insert, { gate_checks_gate_fkey: () => gateNotFound(given) });
    await recordCheck(trx, scope, id, target);
    await queue.enqueue(trx, GATE_CHECK, { organizationId, id });
    const { capability, version, model } = target;
    await audit(trx, scope, {
      action: 'gate.checked',
      resource: `gates/${gate.id}`,
      after: { check_id: id, capability, version, model },
    });
    return getCheck(trx, scope, gate.id, id);
  });
}

type Target = Awaited<ReturnType<typeof findTarget>>;

/** Records the capability and the model as parents, so that the lineage shows which versions were checked. */
async function recordCheck(
  trx: Trx,
  { organizationId, workspaceId }: WorkspaceScope,
  id: string,
  { chosen, model }: Target,
): Promise<void> {
  const served = await findModelNode(trx, organizationId, model);
  const parents = [
    ...(chosen ? [toArtifactNode(organizationId, 'capability', chosen)] : []),
    ...(served ? [served] : []),
  ].map((node) => ({ node, relation: 'check' as const }));
  await recordLineage(trx, organizationId, [
    { node: toWorkspaceNode('gate_check', { workspaceId, id }), parents },
  ]);
}

async function findTarget(
  { db, inference }: StartOptions,
  scope: WorkspaceScope,
  request: CheckRequest,
  settings: GateSettingsOf,
) {
  const { capability = null, version = null } = request;
  const named = request.model ?? (capability === null ? null : (settings.model ?? null));
  if (named === null)
    throw invalidValue(['body', 'model'], 'is needed: neither the check nor the gate names a model');
  const model = capability === null && version !== null ? `local/${named}@${version}` : named;
  const loc = ['body', capability === null && version !== null ? 'version' : 'model'];
  await refuseUnknown(loc, () => inference.getModel(scope.organizationId, model));
  if (capability === null) return { capability, version, model, chosen: null };
  const chosen = await refuseUnknown(['body', 'version'], () =>
    getCapability(db, scope, capability, version),
  );
  return { capability: chosen.name, version: chosen.version, model, chosen };
}

async function refuseUnknown<Found>(loc: string[], find: () => Promise<Found>): Promise<Found> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof ApiError && error.type === 'not_found_error')) throw error;
    throw invalidValue(loc, error.message);
  }
}

/** Reports an error of a run as an error of its rule: callers know rules, not runs. */
async function explainRule(position: number, plan: () => Promise<void>): Promise<void> {
  try {
    await plan();
  } catch (error) {
    if (!(error instanceof ApiError && (error.status === 422 || error.type === 'conflict_error')))
      throw error;
    const reasons = (error.issues ?? []).map(({ loc, msg }) => `${loc.slice(1).join('.')} ${msg}`.trim());
    throw invalidValue(
      ['body'],
      `Rule ${position} of the gate cannot be checked: ${reasons.join('; ') || error.message}`,
    );
  }
}
