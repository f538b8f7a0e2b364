/** Checks and creates assessments. */
import { findProjectId } from '../../accounts/service.ts';
import { audit } from '../../platform/audit/audit.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { explainViolation } from '../../platform/db/violations.ts';
import { type Issue, invalidValue, invalidValues, notFound } from '../../platform/errors.ts';
import { isPublicUrl } from '../../platform/net/addresses.ts';
import { toStorable } from '../../platform/storable-text.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { isRuntime } from '../../runtimes/service.ts';
import { isVisibleSession } from '../../sessions/service.ts';
import { findMisfit, runnableEntries } from './manifest.ts';
import type { AssessmentOf, CreateRequest } from './schema.ts';
import { getAssessment } from './store.ts';
import { readTargetConfig } from './target-config.ts';

export interface CreateRules {
  /** Whether targets may have addresses of this machine and its network. */
  readonly allowsPrivate: boolean;
}

export async function createAssessment(
  db: Db,
  rules: CreateRules,
  scope: WorkspaceScope,
  projectId: string,
  request: CreateRequest,
): Promise<AssessmentOf> {
  checkRequest(rules, request);
  if (!(await findProjectId(db, scope, projectId)))
    throw invalidValue(['query', 'project_id'], 'names no project of this workspace');
  await requireReferences(db, scope, request);
  const id = uuidv7();
  return transactionFor(db, scope, async (trx) => {
    await insertAssessment(trx, scope, { id, projectId, retestOf: null }, request);
    await audit(trx, scope, {
      action: 'assessment.created',
      resource: `airt/assessments/${id}`,
      after: { workspace_id: scope.workspaceId, project_id: projectId, name: request.name },
    });
    return getAssessment(trx, scope, id);
  });
}

/** @throws {ApiError} `validation_error` for a runtime or session that the caller does not see in this workspace */
async function requireReferences(
  db: Db,
  scope: WorkspaceScope,
  { runtime_id, session_id }: Pick<CreateRequest, 'runtime_id' | 'session_id'>,
): Promise<void> {
  if (runtime_id && !(await isRuntime(db, scope, runtime_id)))
    throw invalidValue(['body', 'runtime_id'], 'names no runtime of this workspace');
  if (session_id && !(await isVisibleSession(db, scope, session_id)))
    throw invalidValue(['body', 'session_id'], 'names no session that you can see in this workspace');
}

/** Checks that the attacks fit the target, and that the address of an `http` target may be called. */
export function checkRequest(
  { allowsPrivate }: CreateRules,
  { attack_manifest, target_config }: Pick<CreateRequest, 'attack_manifest' | 'target_config'>,
): void {
  const target = readTargetConfig(target_config ?? null);
  const issues: Issue[] = [];
  if (target.kind === 'http' && !allowsPrivate && !isPublicUrl(target.config.url))
    issues.push({
      loc: ['body', 'target_config', 'url'],
      msg: 'is an address of this machine or of a private network, which targets must not have here; set DRYDOCK_ALLOW_PRIVATE_PROVIDERS to allow it',
      type: 'invalid_value',
    });
  for (const { index, entry } of runnableEntries(attack_manifest ?? [])) {
    const msg = findMisfit(entry.attack, target.kind);
    if (msg) issues.push({ loc: ['body', 'attack_manifest', index, 'attack'], msg, type: 'invalid_value' });
  }
  if (issues.length > 0) throw invalidValues(issues);
}

export interface NewAssessment {
  readonly id: string;
  readonly projectId: string;
  readonly retestOf: string | null;
}

export async function insertAssessment(
  trx: Trx,
  scope: WorkspaceScope,
  { id, projectId, retestOf }: NewAssessment,
  request: CreateRequest,
): Promise<void> {
  const { attack_manifest, attacker_config, target_config } = request;
  const json = (value: unknown) => ((value ?? null) === null ? null : JSON.stringify(toStorable(value)));
  const insert = trx
    .insertInto('airt_assessments')
    .values({
      organization_id: scope.organizationId,
      id,
      workspace_id: scope.workspaceId,
      project_id: projectId,
      created_by: scope.principal.userId,
      name: request.name,
      description: request.description ?? null,
      attack_manifest: json(attack_manifest),
      attacker_config: json(attacker_config),
      target_config: json(target_config),
      ...modelsOf(request),
      workflow_run_id: request.workflow_run_id ?? null,
      workflow_script: request.workflow_script ?? null,
      runtime_id: request.runtime_id ?? null,
      session_id: request.session_id ?? null,
      retest_of: retestOf,
    })
    .execute();
  await explainViolation(insert, {
    airt_assessments_workspace_fkey: () => notFound(`Workspace "${scope.workspaceKey}"`),
  });
}

/** The three model fields, filled from the configurations where they are absent. */
export function modelsOf(
  request: Pick<
    CreateRequest,
    'attacker_config' | 'target_config' | 'attacker_model' | 'judge_model' | 'target_model'
  >,
) {
  const { attacker_config: attacker, target_config: target } = request;
  const named = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
  return {
    attacker_model: request.attacker_model ?? attacker?.model ?? attacker?.attacker_model ?? null,
    judge_model: request.judge_model ?? attacker?.evaluator_model ?? attacker?.judge ?? null,
    target_model: request.target_model ?? named(target?.['model']),
  };
}
