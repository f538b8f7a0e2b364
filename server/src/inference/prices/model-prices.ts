/** Prices the model calls that spans report: with the prices of the organization, else with the list of public models. */
import { ShortMemory } from '../../platform/auth/short-memory.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { TokenUsage } from '../../platform/llm/chat-model.ts';
import { costOf } from '../metering/cost.ts';
import type { Price } from '../offered-model.ts';
import { FREE, SIMULATED_MODELS } from '../simulated-models.ts';
import type { PriceList } from './price-list.ts';
import { isOnOwnMachines, publicNamesOf } from './public-names.ts';

/** A model call reported by a span. */
interface ReportedCall extends TokenUsage {
  /** Provider as named by the span: `openai`, `aws.bedrock` and so on. */
  readonly provider: string | null;
  /** Model name, with or without its provider. */
  readonly model: string;
}

/** @returns US dollars; null when no price is known */
export type PriceCall = (call: ReportedCall) => number | null;

/** Maximum number of cached names: public models are few, but spans may name any text as their model. */
const MAX_REMEMBERED = 10_000;

export class ModelPrices {
  private readonly db: Db;
  /** Prices of public models by `<provider>/<name>` and by name alone. */
  private readonly listed = new Map<string, Price>();
  /** Cached prices of public models by the names that spans report. */
  private readonly foundPublic = new Map<string, Price | undefined>();
  private readonly memory = new ShortMemory<PriceCall>();

  constructor(db: Db, { models }: PriceList) {
    this.db = db;
    for (const [id, price] of models) {
      this.listed.set(id, price);
      const name = id.slice(id.indexOf('/') + 1);
      // The first provider in the list wins when two have a model of the same name.
      if (!this.listed.has(name)) this.listed.set(name, price);
    }
  }

  /** Returns the prices of the organization, cached for 0.7 s. */
  of(organizationId: string): PriceCall | Promise<PriceCall> {
    return this.memory.get(organizationId, () => this.read(organizationId));
  }

  private async read(organizationId: string): Promise<PriceCall> {
    const rows = await this.db
      .selectFrom('inference_models')
      .select(['provider', 'name', 'input_price', 'output_price', 'cache_read_price', 'cache_creation_price'])
      .where('organization_id', '=', organizationId)
      .execute();
    const own = new Map<string, Price>(SIMULATED_MODELS.map(({ id }) => [id, FREE]));
    for (const { provider, name, ...price } of rows) own.set(`${provider}/${name}`, price);
    const found = new Map<string, Price | undefined>();
    return (call) => {
      const price = remembered(
        found,
        `${call.provider}\n${call.model}`,
        () => findOwn(own, call) ?? this.findPublic(call),
      );
      return price ? Number(costOf(call, price).dollars) : null;
    };
  }

  private findPublic({ provider, model }: ReportedCall): Price | undefined {
    if (isOnOwnMachines(provider, model)) return undefined;
    return remembered(this.foundPublic, model, () => {
      const name = publicNamesOf(model).find((one) => this.listed.has(one));
      return name === undefined ? undefined : this.listed.get(name);
    });
  }
}

/** Tries the model as a full id, then as a name at the span's provider; first as given, then without date and other suffixes. */
function findOwn(own: ReadonlyMap<string, Price>, { provider, model }: ReportedCall): Price | undefined {
  for (const name of [model, ...publicNamesOf(model)]) {
    const price = own.get(name) ?? own.get(`${provider}/${name}`);
    if (price) return price;
  }
  return undefined;
}

function remembered(
  found: Map<string, Price | undefined>,
  key: string,
  find: () => Price | undefined,
): Price | undefined {
  if (found.has(key)) return found.get(key);
  const price = find();
  if (found.size >= MAX_REMEMBERED) found.clear();
  found.set(key, price);
  return price;
}
