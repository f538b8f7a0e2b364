/** Gates for other domains: whether a version may be released, and what was checked of it. */
import { sql } from 'kysely';
import type { WorkspaceScope } from '../platform/auth/principal.ts';
import type { Db } from '../platform/db/connect.ts';
import { ApiError } from '../platform/errors.ts';
import type { GateCheckOf } from './schema.ts';
import { getGate, type Place } from './store.ts';

export interface Release {
  /** The name of a capability of the organization. */
  readonly capability: string;
  readonly version: string;
  /** A gate that must have passed although it does not protect the capability. */
  readonly gate: string | null;
  /** Published versions with the same content, of which one has to have passed. */
  readonly candidates: readonly string[];
}

/**
 * @returns the ids of the checks that the release has passed
 * @throws {ApiError} `conflict_error` if a gate has not passed for any of the candidates
 */
export async function requireGates(db: Db, scope: WorkspaceScope, release: Release): Promise<string[]> {
  const { organizationId } = scope;
  const { capability, version, gate, candidates } = release;
  const named = gate === null ? null : await getGate(db, scope, gate);
  // Capabilities belong to the organization, so a gate protects them in all of its workspaces. The newest check counts.
  const { rows } = await sql<{ name: string; passed: string | null }>`
    SELECT g.name, CASE WHEN c.verdict = 'passed' THEN c.id END AS passed
      FROM gates AS g
      LEFT JOIN LATERAL (
        SELECT c.id, c.verdict FROM gate_checks AS c
         WHERE c.organization_id = g.organization_id AND c.gate_id = g.id AND c.capability = ${capability}
           AND c.version = ANY (${[...candidates]}::text[]) AND c.verdict IS NOT NULL
           AND c.rules = g.rules AND c.settings = g.settings AND c.model = coalesce(g.settings ->> 'model', c.model)
         ORDER BY c.created_at DESC, c.id DESC LIMIT 1) AS c ON true
     WHERE g.organization_id = ${organizationId}
       AND (${capability} = ANY (g.protects) OR g.id = ${named?.id ?? null}::uuid)
     ORDER BY g.name`.execute(db);
  const missing = rows.filter(({ passed }) => passed === null).map(({ name }) => `"${name}"`);
  if (missing.length === 0) return rows.flatMap(({ passed }) => passed ?? []);
  throw new ApiError(
    'conflict_error',
    `${capability}@${version} needs to pass ${missing.length === 1 ? 'the gate' : 'the gates'} ${missing.join(', ')} first. ` +
      `Promote the candidate as a pre-release such as ${version}-rc.1, check that, and promote it again.`,
  );
}

/** A check of a version of a capability. */
export interface CheckOfVersion extends Pick<GateCheckOf, 'id' | 'status' | 'verdict' | 'created_at'> {
  /** Its name. */
  readonly gate: string;
}

/** @returns checks by the id of the version, newest first, at most `limit` of each */
export async function listChecksOf(
  db: Db,
  { organizationId, workspaceId }: Place,
  { versionIds, limit }: { readonly versionIds: readonly string[]; readonly limit: number },
): Promise<Map<string, CheckOfVersion[]>> {
  const { rows } = await sql<CheckOfVersion & { readonly versionId: string }>`
    SELECT v.id AS "versionId", g.name AS gate, c.id, c.status, c.verdict, c.created_at
      FROM unnest(${[...versionIds]}::uuid[]) AS v (id)
     CROSS JOIN LATERAL (
        SELECT c.id, c.gate_id, c.status, c.verdict, c.created_at
          FROM gate_checks AS c
         WHERE c.organization_id = ${organizationId} AND c.workspace_id = ${workspaceId} AND c.version_id = v.id
         ORDER BY c.created_at DESC, c.id DESC LIMIT ${limit}) AS c
      JOIN gates AS g ON g.organization_id = ${organizationId} AND g.id = c.gate_id
     ORDER BY c.created_at DESC, c.id DESC`.execute(db);
  return Map.groupBy(rows, ({ versionId }) => versionId);
}
