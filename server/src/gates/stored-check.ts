/** A check as it is stored, and the runs that it is made of. */
import { sql } from 'kysely';
import type { Db } from '../platform/db/connect.ts';
import type { JobRef } from '../platform/jobs/job-kind.ts';
import { uuidOf } from '../platform/uuid.ts';
import type { GateRuleOf, GateSettingsOf, Verdict } from './schema.ts';

export interface StoredCheck {
  readonly id: string;
  readonly gate_name: string;
  readonly workspace_id: string;
  readonly created_by: string;
  readonly capability: string | null;
  readonly version: string | null;
  readonly model: string;
  readonly rules: readonly GateRuleOf[];
  readonly settings: GateSettingsOf;
  readonly verdict: Verdict | null;
}

export async function getStoredCheck(db: Db, { organizationId, id }: JobRef): Promise<StoredCheck> {
  const { rows } = await sql<StoredCheck>`
    SELECT c.id, g.name AS gate_name, c.workspace_id, c.created_by, c.capability, c.version, c.model, c.rules, c.settings, c.verdict
      FROM gate_checks AS c
      JOIN gates AS g ON g.organization_id = c.organization_id AND g.id = c.gate_id
     WHERE c.organization_id = ${organizationId} AND c.id = ${id}`.execute(db);
  const [check] = rows;
  if (!check) throw new Error(`check ${id} is gone`);
  return check;
}

/** An evaluation of a task set, or an assessment with an attack manifest. Its id is a function of the check, so that it runs once. */
export type CheckRun =
  | {
      readonly kind: 'evaluation';
      readonly id: string;
      readonly rules: readonly number[];
      readonly taskSet: string;
    }
  | {
      readonly kind: 'assessment';
      readonly id: string;
      readonly rules: readonly number[];
      readonly manifest: NonNullable<GateRuleOf['attack_manifest']>;
    };

/** Rules on the same task set share its evaluation; those with the same manifest share the assessment. */
export function runsOf(checkId: string, rules: readonly GateRuleOf[]): CheckRun[] {
  const keys = rules.map(({ task_set, attack_manifest }) => task_set ?? JSON.stringify(attack_manifest));
  return [...new Set(keys)].map((key) => {
    const positions = keys.flatMap((one, index) => (one === key ? [index] : []));
    const { task_set, attack_manifest } = rules[positions[0] ?? 0] as GateRuleOf;
    const id = uuidOf(`${checkId} ${positions[0]}`);
    if (attack_manifest) return { kind: 'assessment', id, rules: positions, manifest: attack_manifest };
    return { kind: 'evaluation', id, rules: positions, taskSet: task_set ?? '' };
  });
}

/** What is checked, in words. */
export const targetOf = ({
  capability,
  version,
  model,
}: Pick<StoredCheck, 'capability' | 'version' | 'model'>): string =>
  capability === null ? model : `${capability}@${version}`;
