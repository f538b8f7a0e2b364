/** Models that an organization can call, looked up in its provider list and cached for less than a second. */
import { ShortMemory } from '../platform/auth/short-memory.ts';
import type { Db } from '../platform/db/connect.ts';
import type { EmbeddingChatModel } from '../platform/llm/embedding-model.ts';
import { OpenAICompatibleModel } from '../platform/llm/openai-compatible/openai-compatible-model.ts';
import { createSimulatedModel } from '../platform/llm/simulated/simulated-models.ts';
import { TranslatedModel } from '../platform/llm/translated/translated-model.ts';
import type { GuardedClient } from '../platform/net/guarded-client.ts';
import type { Vault } from '../platform/secrets/envelope.ts';
import { findModelId, type ModelId, modelNotFound } from './model-id.ts';
import type { LocalModelHost, ModelCatalog, OfferedModel } from './offered-model.ts';
import { openKey } from './providers/keys.ts';
import { findServed, LOCAL } from './served/store.ts';
import { FREE, SIMULATED_MODELS, type SimulatedModel } from './simulated-models.ts';

/** Address and credentials of a provider. */
export interface ProviderAccess {
  /** Provider name chosen by the organization. */
  readonly name: string;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly timeoutMs: number;
  /** Maximum output tokens of the model: sent to providers that require a limit when the caller sets none. */
  readonly maxOutputTokens: number;
}

export interface ChatModelMakers {
  readonly openai_compatible: (access: ProviderAccess) => EmbeddingChatModel;
  readonly anthropic: (access: ProviderAccess) => EmbeddingChatModel;
  readonly google: (access: ProviderAccess) => EmbeddingChatModel;
  readonly simulated: (name: SimulatedModel['name']) => EmbeddingChatModel;
}

export interface CatalogOptions {
  readonly db: Db;
  readonly vault: Vault;
  readonly makers: ChatModelMakers;
  /** Served models cannot be called when this is undefined. */
  readonly localModels?: LocalModelHost | undefined;
}

/** Cache lifetime: a changed or removed key is used for no longer than this in any process. */
const REMEMBERED_MS = 700;
/** Output token limit of a served model when the caller sets none. */
export const LOCAL_OUTPUT_TOKENS = 1_024;

export class StoredCatalog implements ModelCatalog {
  private readonly db: Db;
  private readonly vault: Vault;
  private readonly makers: ChatModelMakers;
  private readonly localModels: LocalModelHost | undefined;
  private readonly simulated: ReadonlyMap<string, OfferedModel>;
  private readonly memory = new ShortMemory<OfferedModel>(REMEMBERED_MS);
  private sweep: NodeJS.Timeout | undefined;

  constructor({ db, vault, makers, localModels }: CatalogOptions) {
    this.db = db;
    this.localModels = localModels;
    this.vault = vault;
    this.makers = makers;
    this.simulated = new Map(SIMULATED_MODELS.map((model) => [model.id, this.offerSimulated(model)]));
  }

  getModel(organizationId: string, id: string): OfferedModel | Promise<OfferedModel> {
    const simulated = this.simulated.get(id);
    if (simulated) return simulated;
    const parts = findModelId(id);
    if (!parts) throw modelNotFound(id);
    return this.memory.get(`${organizationId}/${id}`, () => this.lookUp(organizationId, parts));
  }

  private async lookUp(organizationId: string, { provider, name }: ModelId): Promise<OfferedModel> {
    this.forgetInTime();
    const served = provider === LOCAL ? await this.findLocal(organizationId, name) : undefined;
    if (served) return served;
    const row = await this.db
      .selectFrom('inference_models as m')
      .innerJoin('inference_providers as p', (join) =>
        join.onRef('p.organization_id', '=', 'm.organization_id').onRef('p.name', '=', 'm.provider'),
      )
      .select(['p.kind', 'p.base_url', 'p.timeout_seconds', 'p.key_id', 'p.wrapped_key', 'p.ciphertext'])
      .select(['m.input_price', 'm.output_price', 'm.cache_read_price', 'm.cache_creation_price'])
      .select('m.max_output_tokens')
      .where('m.organization_id', '=', organizationId)
      .where('m.provider', '=', provider)
      .where('m.name', '=', name)
      .executeTakeFirst();
    const id = `${provider}/${name}`;
    if (!row) throw modelNotFound(id);
    const { input_price, output_price, cache_read_price, cache_creation_price } = row;
    return {
      id,
      name,
      price: { input_price, output_price, cache_read_price, cache_creation_price },
      maxOutputTokens: row.max_output_tokens,
      isSimulated: false,
      chat: this.makers[row.kind]({
        name: provider,
        baseUrl: row.base_url,
        apiKey: openKey(this.vault, organizationId, provider, row),
        timeoutMs: row.timeout_seconds * 1_000,
        maxOutputTokens: row.max_output_tokens,
      }),
    };
  }

  private async findLocal(organizationId: string, name: string): Promise<OfferedModel | undefined> {
    const served = await findServed(this.db, organizationId, name);
    if (!served || !this.localModels) return undefined;
    const chat = this.localModels.open(organizationId, served);
    const maxOutputTokens = LOCAL_OUTPUT_TOKENS;
    return { id: `${LOCAL}/${name}`, name, price: FREE, maxOutputTokens, isSimulated: false, chat };
  }

  private offerSimulated({ id, name, maxOutputTokens }: SimulatedModel): OfferedModel {
    return { id, name, price: FREE, maxOutputTokens, isSimulated: true, chat: this.makers.simulated(name) };
  }

  /** Clears the cache on time, so that a decrypted key does not stay in memory until the next lookup. */
  private forgetInTime(): void {
    this.sweep ??= setTimeout(() => {
      this.sweep = undefined;
      if (this.memory.dropExpired() > 0) this.forgetInTime();
    }, REMEMBERED_MS).unref();
  }

  /** Drops the cache after a change. */
  forget(): void {
    this.memory.clear();
  }
}

/** Models own no connections: all calls of the process share those of the client. */
export function makersOn(client: GuardedClient): ChatModelMakers {
  const translated = (kind: 'anthropic' | 'google') => (access: ProviderAccess) =>
    new TranslatedModel(client, { kind, ...access });
  return {
    openai_compatible: (access) => new OpenAICompatibleModel(client, access),
    anthropic: translated('anthropic'),
    google: translated('google'),
    simulated: createSimulatedModel,
  };
}
