/** Retries a finding: its best prompts unchanged, then the same attack, on the current target. */
import { sql } from 'kysely';
import { audit } from '../../platform/audit/audit.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { transactionFor } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';
import { isUuid } from '../../platform/fields.ts';
import { findAttack } from '../../platform/red-team/attacks/catalogue.ts';
import { isGoalCategory } from '../../platform/red-team/scoring/severity.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { type CreateRules, checkRequest, insertAssessment } from '../assessments/create.ts';
import { planRun } from '../assessments/plan.ts';
import type { AssessmentOf, CreateRequest } from '../assessments/schema.ts';
import { beginRun, type StartOptions } from '../assessments/start.ts';
import { getAssessment } from '../assessments/store.ts';
import { recordRetest } from '../lineage.ts';
import type { StoredAttack } from '../stored-run.ts';
import type { RetestRequestOf } from './schema.ts';
import { findingNotFound } from './store.ts';

/** Prompts of the finding that are sent again as they were. */
const MAX_REPLAYED = 5;
const MAX_NAME = 255;
/** Clients may report longer goals than manifests may have. */
const MAX_GOAL_CHARACTERS = 20_000;

interface Before {
  readonly id: string;
  readonly project_id: string;
  readonly attack_name: string;
  readonly goal: string;
  readonly goal_category: string | null;
  readonly request: StoredAttack | null;
  readonly status: string;
  readonly target_config: CreateRequest['target_config'];
  readonly attacker_config: CreateRequest['attacker_config'];
  readonly target_model: string | null;
  readonly attacker_model: string | null;
  readonly judge_model: string | null;
}

export async function retestFinding(
  options: StartOptions & CreateRules,
  scope: WorkspaceScope,
  given: string,
  request: RetestRequestOf,
  signal: AbortSignal,
): Promise<AssessmentOf> {
  const before = await getBefore(options.db, scope, given);
  const retest = toRequest(before, request);
  checkRequest(options, retest);
  const plan = await planRun(options, scope, retest, signal);
  const replayed = await listBestPrompts(options.db, scope.organizationId, before);
  const findings = plan.findings.map((finding) => ({
    ...finding,
    request: {
      ...finding.request,
      // All prompts of a retest count, so that its rate says how often the target fails now.
      exhaustive: true,
      trials: finding.request.trials + replayed.length,
      replayed,
    },
  }));
  const id = uuidv7();
  return transactionFor(options.db, scope, async (trx) => {
    const place = { id, projectId: before.project_id };
    await insertAssessment(trx, scope, { ...place, retestOf: before.id }, retest);
    await recordRetest(trx, scope, { assessmentId: id, findingId: before.id });
    await beginRun(trx, options.queue, scope, place, { ...plan, findings });
    await audit(trx, scope, {
      action: 'finding.retested',
      resource: `airt/findings/${before.id}`,
      after: { assessment_id: id },
    });
    return getAssessment(trx, scope, id);
  });
}

async function getBefore(db: Db, { organizationId, workspaceId }: WorkspaceScope, given: string) {
  if (!isUuid(given)) throw findingNotFound(given);
  const { rows } = await sql<Before>`
    SELECT f.id, f.project_id, f.attack_name, f.goal, f.goal_category, f.request, f.status, a.target_config, a.attacker_config,
           a.target_model, a.attacker_model, a.judge_model
      FROM airt_findings AS f
      JOIN airt_assessments AS a ON a.organization_id = f.organization_id AND a.id = f.assessment_id
     WHERE f.organization_id = ${organizationId} AND f.workspace_id = ${workspaceId} AND f.id = ${given}`.execute(
    db,
  );
  const [found] = rows;
  if (!found) throw findingNotFound(given);
  if (found.status === 'pending' || found.status === 'running')
    throw new ApiError('conflict_error', 'The attack still runs; wait for its end before you try it again.');
  if (found.goal.trim() === '')
    throw new ApiError(
      'conflict_error',
      'The client that reported this finding named no goal, so that it cannot be tried again.',
    );
  return found;
}

/** A finding that a client reported has an attack of its own, or one that the server does not know: then only its prompts are tried. */
function toRequest(
  before: Before,
  { name, target_config, target_model, trials }: RetestRequestOf,
): CreateRequest {
  const { attack_name, goal, goal_category, request } = before;
  const isKnown = request !== null && findAttack(attack_name) !== undefined;
  const entry = {
    attack: isKnown ? attack_name : 'baseline',
    goals: [goal.trim().slice(0, MAX_GOAL_CHARACTERS)],
    ...(goal_category !== null && isGoalCategory(goal_category) && { goal_category }),
    ...(isKnown && { transforms: request.chains, params: toParams(request) }),
    trials: trials ?? (isKnown ? request.trials - request.replayed.length : 1),
  };
  const target = target_config ?? before.target_config;
  return {
    name: name ?? `Retest of ${attack_name}: ${goal}`.slice(0, MAX_NAME),
    attack_manifest: [entry],
    attacker_config: before.attacker_config,
    target_config: target,
    attacker_model: before.attacker_model,
    judge_model: before.judge_model,
    // A new target_config may name another model.
    target_model: target_model ?? (target_config ? null : before.target_model),
  };
}

const toParams = ({ params, threshold, canary }: StoredAttack) => ({
  ...params,
  threshold,
  ...(canary !== null && { canary }),
});

/** Prompts that were sent alone can be sent again; those that were part of a conversation or of a document cannot. */
async function listBestPrompts(
  db: Db,
  organizationId: string,
  { id, attack_name }: Before,
): Promise<readonly string[]> {
  const attack = findAttack(attack_name);
  if (attack && !sendsSinglePrompts(attack.name, attack.turns)) return [];
  const { rows } = await sql<{ prompt: string }>`
    SELECT transformed_prompt AS prompt FROM airt_trials
     WHERE organization_id = ${organizationId} AND finding_id = ${id} AND score IS NOT NULL
     ORDER BY score DESC, trial_index LIMIT ${MAX_REPLAYED}`.execute(db);
  return [...new Set(rows.map(({ prompt }) => prompt))].filter((prompt) => prompt !== '');
}

/** PAIR and TAP refine one prompt over many turns with the attacker; the target sees single prompts. */
const sendsSinglePrompts = (name: string, turns: string) =>
  turns === 'single' || turns === 'system' || name === 'pair' || name === 'tap';
