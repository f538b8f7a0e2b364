import { sql } from 'kysely';
import { audit } from '../../platform/audit/audit.ts';
import type { OrgScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { type Issue, invalidValues } from '../../platform/errors.ts';
import { isPublicUrl } from '../../platform/net/addresses.ts';
import type { Vault } from '../../platform/secrets/envelope.ts';
import { type Change, findChanges, toAuditEntry, withAllPrices } from './changes.ts';
import { NO_KEY, sealKey } from './keys.ts';
import type { InferenceProviderOf, ProviderRequestOf } from './schema.ts';

export interface ProviderRules {
  /** Allows providers on the private network. */
  readonly allowsPrivate: boolean;
}

/** Lists providers sorted by name. */
export async function listProviders(
  db: Db,
  { organizationId }: Pick<OrgScope, 'organizationId'>,
): Promise<InferenceProviderOf[]> {
  const { rows } = await sql<InferenceProviderOf>`
    SELECT p.name, p.kind, p.base_url, p.key_id IS NOT NULL AS has_api_key, p.timeout_seconds,
           coalesce((SELECT jsonb_agg(jsonb_build_object(
                              'id', m.provider || '/' || m.name, 'name', m.name,
                              'input_price', m.input_price, 'output_price', m.output_price,
                              'cache_read_price', m.cache_read_price,
                              'cache_creation_price', m.cache_creation_price,
                              'max_output_tokens', m.max_output_tokens) ORDER BY m.name COLLATE "C")
                       FROM inference_models AS m
                      WHERE m.organization_id = p.organization_id AND m.provider = p.name), '[]') AS models,
           p.created_at, p.updated_at
      FROM inference_providers AS p
     WHERE p.organization_id = ${organizationId}
     ORDER BY p.name COLLATE "C"`.execute(db);
  return rows;
}

export async function replaceProviders(
  db: Db,
  vault: Vault,
  rules: ProviderRules,
  scope: OrgScope,
  requested: readonly ProviderRequestOf[],
): Promise<InferenceProviderOf[]> {
  if (!rules.allowsPrivate) requirePublic(requested);
  return transactionFor(db, scope, async (trx) => {
    await lock(trx, scope.organizationId);
    const before = await listProviders(trx, scope);
    requireKeysOfTheSamePlace(before, requested);
    const changes = findChanges(before, requested);
    await write(trx, vault, scope.organizationId, changes);
    for (const change of changes) await audit(trx, scope, toAuditEntry(change));
    return listProviders(trx, scope);
  });
}

/** Locks the list until the transaction ends, so that concurrent replacements run one after another and the result is one of the lists. */
async function lock(trx: Trx, organizationId: string): Promise<void> {
  const name = `inference providers ${organizationId}`;
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx);
}

function requirePublic(requested: readonly ProviderRequestOf[]): void {
  refuse(
    requested.flatMap(({ base_url }, index) =>
      isPublicUrl(base_url)
        ? []
        : [
            issue(
              index,
              'base_url',
              'must be a host of the public internet, unless the server runs with DRYDOCK_ALLOW_PRIVATE_PROVIDERS=1',
            ),
          ],
    ),
  );
}

/** A key is only ever sent to the origin it was entered for. */
function requireKeysOfTheSamePlace(
  before: readonly InferenceProviderOf[],
  requested: readonly ProviderRequestOf[],
): void {
  const known = new Map(before.map((provider) => [provider.name, provider]));
  refuse(
    requested.flatMap(({ name, kind, base_url, api_key }, index) => {
      const stored = known.get(name);
      if (!stored?.has_api_key || api_key !== undefined) return [];
      const isSame = stored.kind === kind && originOf(stored.base_url) === originOf(base_url);
      const message = `is needed: the one that is kept was given for ${originOf(stored.base_url)} as ${stored.kind}; null for none`;
      return isSame ? [] : [issue(index, 'api_key', message)];
    }),
  );
}

const originOf = (url: string) => new URL(url).origin;

const issue = (index: number, field: string, msg: string): Issue => ({
  loc: ['body', 'providers', index, field],
  msg,
  type: 'invalid_value',
});

function refuse(issues: readonly Issue[]): void {
  if (issues.length === 0) return;
  throw invalidValues(issues);
}

async function write(
  trx: Trx,
  vault: Vault,
  organizationId: string,
  changes: readonly Change[],
): Promise<void> {
  const changed = changes.map(({ name }) => name);
  const made = changes.flatMap(({ requested }) => requested ?? []);
  const removed = changes.flatMap(({ name, requested }) => (requested ? [] : [name]));
  await trx
    .deleteFrom('inference_providers')
    .where('organization_id', '=', organizationId)
    .where('name', '=', sql<string>`ANY (${removed}::text[])`)
    .execute();
  await trx
    .deleteFrom('inference_models')
    .where('organization_id', '=', organizationId)
    .where('provider', '=', sql<string>`ANY (${changed}::text[])`)
    .execute();
  if (made.length === 0) return;
  await putProviders(trx, organizationId, made);
  for (const { name, api_key } of made) {
    if (api_key === undefined) continue;
    await trx
      .updateTable('inference_providers')
      .set(api_key === null ? NO_KEY : sealKey(vault, organizationId, name, api_key))
      .where('organization_id', '=', organizationId)
      .where('name', '=', name)
      .execute();
  }
  await insertModels(trx, organizationId, made);
}

/** Leaves the stored keys unchanged, even during a rotation of the secret key. */
async function putProviders(
  trx: Trx,
  organizationId: string,
  made: readonly ProviderRequestOf[],
): Promise<void> {
  const values = made.map(({ name, kind, base_url, timeout_seconds }) => ({
    organization_id: organizationId,
    name,
    kind,
    base_url,
    timeout_seconds,
  }));
  await trx
    .insertInto('inference_providers')
    .values(values)
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'name']).doUpdateSet(({ ref }) => ({
        kind: ref('excluded.kind'),
        base_url: ref('excluded.base_url'),
        timeout_seconds: ref('excluded.timeout_seconds'),
        updated_at: sql<string>`greatest(now(), inference_providers.updated_at)`,
      })),
    )
    .execute();
}

/** Passes the models as one JSON value, since there may be more of them than a statement allows parameters. */
async function insertModels(
  trx: Trx,
  organizationId: string,
  made: readonly ProviderRequestOf[],
): Promise<void> {
  const models = made.flatMap(({ name: provider, models }) =>
    models.map((model) => ({ provider, ...withAllPrices(model) })),
  );
  await sql`
    INSERT INTO inference_models (organization_id, provider, name, input_price, output_price, cache_read_price,
                                  cache_creation_price, max_output_tokens)
    SELECT ${organizationId}, m.provider, m.name, m.input_price, m.output_price, m.cache_read_price,
           m.cache_creation_price, m.max_output_tokens
      FROM jsonb_to_recordset(${JSON.stringify(models)}::jsonb)
           AS m (provider text, name text, input_price numeric, output_price numeric, cache_read_price numeric,
                 cache_creation_price numeric, max_output_tokens integer)`.execute(trx);
}
