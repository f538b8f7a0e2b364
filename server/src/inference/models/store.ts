import { sql } from 'kysely';
import type { OrgScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { LOCAL_OUTPUT_TOKENS } from '../catalog.ts';
import { findModelId, modelNotFound } from '../model-id.ts';
import { findServed, LOCAL, listServed, type ServedModel, servedName } from '../served/store.ts';
import { FREE, findSimulated, SIMULATED, SIMULATED_MODELS } from '../simulated-models.ts';
import type { ModelEntryOf } from './schema.ts';

/** The simulated ones, then those that are served here, then those of the organization's providers. */
export async function listModels(db: Db, { organizationId }: OrgScope) {
  const rows = await selectModels(db, organizationId)
    .orderBy(sql`m.provider COLLATE "C", m.name COLLATE "C"`)
    .execute();
  const data = [
    ...SIMULATED_MODELS.map(({ id, maxOutputTokens }) => toSimulatedEntry(id, maxOutputTokens)),
    ...(await listServed(db, organizationId)).map(toServedEntry),
    ...rows.map(toEntry),
  ];
  return { object: 'list' as const, data };
}

/** @throws {ApiError} `not_found_error` */
export async function getModelEntry(db: Db, { organizationId }: OrgScope, id: string): Promise<ModelEntryOf> {
  const parts = findModelId(id);
  if (!parts) throw modelNotFound(id);
  if (parts.provider === SIMULATED) {
    const simulated = findSimulated(id);
    if (!simulated) throw modelNotFound(id);
    return toSimulatedEntry(id, simulated.maxOutputTokens);
  }
  const served = parts.provider === LOCAL ? await findServed(db, organizationId, parts.name) : undefined;
  if (served) return toServedEntry(served);
  const row = await selectModels(db, organizationId)
    .where('m.provider', '=', parts.provider)
    .where('m.name', '=', parts.name)
    .executeTakeFirst();
  if (!row) throw modelNotFound(id);
  return toEntry(row);
}

function selectModels(db: Db, organizationId: string) {
  return db
    .selectFrom('inference_models as m')
    .innerJoin('inference_providers as p', (join) =>
      join.onRef('p.organization_id', '=', 'm.organization_id').onRef('p.name', '=', 'm.provider'),
    )
    .select(['m.provider', 'm.name', 'm.input_price', 'm.output_price', 'm.cache_read_price'])
    .select(['m.cache_creation_price', 'm.max_output_tokens', 'p.created_at'])
    .where('m.organization_id', '=', organizationId);
}

type Row = Awaited<ReturnType<ReturnType<typeof selectModels>['executeTakeFirstOrThrow']>>;

const toEntry = ({ provider, name, created_at, ...rest }: Row): ModelEntryOf => ({
  id: `${provider}/${name}`,
  object: 'model',
  created: Math.floor(Date.parse(created_at) / 1_000),
  owned_by: provider,
  ...rest,
  simulated: false,
});

const toSimulatedEntry = (id: string, maxOutputTokens: number): ModelEntryOf => ({
  id,
  object: 'model',
  created: 0,
  owned_by: 'drydock (simulated)',
  ...FREE,
  max_output_tokens: maxOutputTokens,
  simulated: true,
});

const toServedEntry = (served: ServedModel): ModelEntryOf => ({
  id: `${LOCAL}/${servedName(served)}`,
  object: 'model',
  created: Math.floor(Date.parse(served.created_at) / 1_000),
  owned_by: LOCAL,
  ...FREE,
  max_output_tokens: LOCAL_OUTPUT_TOKENS,
  simulated: false,
});
