/** Model versions of the registry that this server runs itself, called as `local/<model>@<version>`. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import { type LineageNode, toArtifactNode } from '../../platform/lineage/lineage.ts';
import { findModelId } from '../model-id.ts';

/** Provider name of served models. They take precedence over an organization's provider of the same name. */
export const LOCAL = 'local';

export interface ServedModel {
  readonly model: string;
  readonly version: string;
  readonly version_id: string;
  readonly created_at: string;
}

export const servedName = ({ model, version }: Pick<ServedModel, 'model' | 'version'>) =>
  `${model}@${version}`;

/** Deleted versions are not served. */
const SERVED = sql`
  FROM served_models AS s
  JOIN artifact_versions AS v ON v.organization_id = s.organization_id AND v.id = s.version_id AND v.deleted_at IS NULL`;

export async function listServed(db: Db, organizationId: string): Promise<ServedModel[]> {
  const { rows } = await sql<ServedModel>`
    SELECT s.model, s.version, s.version_id, s.created_at ${SERVED}
     WHERE s.organization_id = ${organizationId} ORDER BY s.model, s.version`.execute(db);
  return rows;
}

/** @param name `<model>@<version>` */
export async function findServed(
  db: Db,
  organizationId: string,
  name: string,
): Promise<ServedModel | undefined> {
  const at = name.lastIndexOf('@');
  const { rows } = await sql<ServedModel>`
    SELECT s.model, s.version, s.version_id, s.created_at ${SERVED}
     WHERE s.organization_id = ${organizationId} AND s.model = ${name.slice(0, at)} AND s.version = ${name.slice(at + 1)}`.execute(
    db,
  );
  return rows[0];
}

/** @returns the version that a model id such as `local/tiny@1.0.0` refers to; undefined for models of providers */
export async function findModelNode(
  db: Db,
  organizationId: string,
  modelId: string | null,
): Promise<LineageNode | undefined> {
  const id = modelId === null ? undefined : findModelId(modelId);
  const served = id?.provider === LOCAL ? await findServed(db, organizationId, id.name) : undefined;
  if (!served) return undefined;
  const { model: name, version, version_id: versionId } = served;
  return toArtifactNode(organizationId, 'model', { ownerId: organizationId, versionId, name, version });
}

export async function registerServed(
  trx: Trx,
  organizationId: string,
  { model, version, version_id }: Omit<ServedModel, 'created_at'>,
  userId: string,
): Promise<void> {
  await sql`
    INSERT INTO served_models (organization_id, model, version, version_id, created_by)
    VALUES (${organizationId}, ${model}, ${version}, ${version_id}, ${userId})
    ON CONFLICT (organization_id, model, version) DO UPDATE SET version_id = excluded.version_id`.execute(
    trx,
  );
}

export async function unregisterServed(
  trx: Trx,
  organizationId: string,
  { model, version }: Pick<ServedModel, 'model' | 'version'>,
): Promise<void> {
  await sql`
    DELETE FROM served_models
     WHERE organization_id = ${organizationId} AND model = ${model} AND version = ${version}`.execute(trx);
}
