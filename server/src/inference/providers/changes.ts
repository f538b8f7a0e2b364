/** Differences between two lists of providers, for the code that writes them and for the audit log. */
import type { AuditEntry, AuditValues } from '../../platform/audit/audit.ts';
import type { InferenceModelOf, InferenceProviderOf, ProviderRequestOf } from './schema.ts';

/** Change of one provider. */
export interface Change {
  readonly name: string;
  /** Undefined for a new provider. */
  readonly before: InferenceProviderOf | undefined;
  /** Undefined for a provider to remove. */
  readonly requested: ProviderRequestOf | undefined;
}

/** Any given key counts as a change, since the old key is not read. */
export function findChanges(
  before: readonly InferenceProviderOf[],
  requested: readonly ProviderRequestOf[],
): Change[] {
  const known = new Map(before.map((provider) => [provider.name, provider]));
  const wanted = new Map(requested.map((provider) => [provider.name, provider]));
  const names = [...new Set([...known.keys(), ...wanted.keys()])].toSorted();
  return names
    .map((name) => ({ name, before: known.get(name), requested: wanted.get(name) }))
    .filter((change) => !isSame(change));
}

function isSame({ before, requested }: Change): boolean {
  if (!before || !requested || requested.api_key) return false;
  if (requested.api_key === null && before.has_api_key) return false;
  return JSON.stringify(summaryOf(before)) === JSON.stringify(summaryOf(requested));
}

type Model = Omit<InferenceModelOf, 'id'>;

export function withAllPrices({
  name,
  input_price,
  output_price,
  cache_read_price = input_price,
  cache_creation_price = input_price,
  max_output_tokens,
}: ProviderRequestOf['models'][number]): Model {
  return { name, input_price, output_price, cache_read_price, cache_creation_price, max_output_tokens };
}

const summaryOf = (provider: InferenceProviderOf | ProviderRequestOf) => ({
  kind: provider.kind,
  base_url: provider.base_url,
  timeout_seconds: provider.timeout_seconds,
  models: provider.models.map((model) => describeModel(withAllPrices(model))).toSorted(),
});

const describeModel = (model: Model) =>
  `${model.name}: input ${model.input_price}, output ${model.output_price}, cache read ${model.cache_read_price}, ` +
  `cache creation ${model.cache_creation_price}, at most ${model.max_output_tokens} tokens`;

/** Lists only the models that differ before and after. */
export function toAuditEntry(change: Change): AuditEntry {
  const { name, before, requested } = change;
  const old = before && summaryOf(before);
  const next = requested && summaryOf(requested);
  const happened = !before ? 'created' : !requested ? 'deleted' : 'updated';
  return {
    action: `inference_provider.${happened}`,
    resource: `inference_providers/${name}`,
    before: old && before && { ...without(old, next), is_keyed: before.has_api_key },
    after: next && { ...without(next, old), ...keyAfter(change) },
  };
}

type Summary = ReturnType<typeof summaryOf>;

function without(summary: Summary, other: Summary | undefined): AuditValues {
  const same = new Set(other?.models);
  return { ...summary, models: summary.models.filter((model) => !same.has(model)) };
}

function keyAfter({ before, requested }: Change): AuditValues {
  const given = requested?.api_key;
  const isKeyed = given === undefined ? (before?.has_api_key ?? false) : given !== null;
  return { is_keyed: isKeyed, ...(given && { is_key_replaced: before?.has_api_key ?? false }) };
}
