import { sql } from 'kysely';
import type { OrgScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { LOCAL_OUTPUT_TOKENS } from '../catalog.ts';
import { findModelId, modelNotFound } from '../model-id.ts';
import { findServed, LOCAL, listServed, type ServedModel, servedName } from '../served/store.ts';
import { FREE, findSimulated, SIMULATED, SIMULATED_MODELS } from '../simulated-models.ts';
import type { ModelEntryOf } from './schema.ts';

/** Lists the simulated models, then those served here, then those of the organization's providers. */
export async function listModels(db: Db, { organizationId }: OrgScope) {
  const rows = await selectModels(db, organizationId)
    .orderBy(sql`m.provider COLLATE "C", m.name COLLATE "C"`)
    .execute();
  const data = [
    ...SIMULATED_MODELS.map(({ id, maxOutputTokens }) => toSimulatedEntry(id, maxOutputTokens)),
    ...(await listServed(db, organizationId)).map(toServedEntry),
    ...rows.map(toEntry),
  ];
  const [first_id, last_id] = [data[0]?.id ?? null, data.at(-1)?.id ?? null];
  return { object: 'list' as const, data, has_more: false as const, first_id, last_id };
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

/** Returns the same facts under the names of OpenAI's and Anthropic's APIs. */
function headOf(id: string, createdAt: string) {
  const created = Math.floor(Date.parse(createdAt) / 1_000);
  const created_at = new Date(created * 1_000).toISOString();
  return { id, object: 'model' as const, created, type: 'model' as const, display_name: id, created_at };
}

const BUILT_IN_AT = '1970-01-01T00:00:00Z';

const toEntry = ({ provider, name, created_at, ...rest }: Row): ModelEntryOf => ({
  ...headOf(`${provider}/${name}`, created_at),
  owned_by: provider,
  ...rest,
  simulated: false,
});

const toSimulatedEntry = (id: string, maxOutputTokens: number): ModelEntryOf => ({
  ...headOf(id, BUILT_IN_AT),
  owned_by: 'drydock (simulated)',
  ...FREE,
  max_output_tokens: maxOutputTokens,
  simulated: true,
});

const toServedEntry = (served: ServedModel): ModelEntryOf => ({
  ...headOf(`${LOCAL}/${servedName(served)}`, served.created_at),
  owned_by: LOCAL,
  ...FREE,
  max_output_tokens: LOCAL_OUTPUT_TOKENS,
  simulated: false,
});
