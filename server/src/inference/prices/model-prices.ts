/** What the calls cost that spans tell of: by the prices of the organization, else by those of public models. */
import { ShortMemory } from '../../platform/auth/short-memory.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { TokenUsage } from '../../platform/llm/chat-model.ts';
import { costOf } from '../metering/cost.ts';
import type { Price } from '../offered-model.ts';
import { FREE, SIMULATED_MODELS } from '../simulated-models.ts';
import type { PriceList } from './price-list.ts';
import { isOnOwnMachines, publicNamesOf } from './public-names.ts';

export interface ToldCall extends TokenUsage {
  /** As the span names it: `openai`, `aws.bedrock` and so on. */
  readonly provider: string | null;
  /** With its provider or without. */
  readonly model: string;
}

/** @returns US dollars; null where no price is known */
export type PriceCall = (call: ToldCall) => number | null;

/** Models of public lists are few, but spans may name anything. */
const MAX_REMEMBERED = 10_000;

export class ModelPrices {
  private readonly db: Db;
  /** By full ids and by names alone. */
  private readonly listed = new Map<string, Price>();
  private readonly found = new Map<string, Price | undefined>();
  private readonly memory = new ShortMemory<PriceCall>();

  constructor(db: Db, { models }: PriceList) {
    this.db = db;
    for (const [id, price] of models) {
      this.listed.set(id, price);
      const name = id.slice(id.indexOf('/') + 1);
      // Of two providers that have a model of the same name, the first in the list counts.
      if (!this.listed.has(name)) this.listed.set(name, price);
    }
  }

  /** As the prices of the organization are now. */
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
    return (call) => {
      const price = own.get(call.model) ?? own.get(`${call.provider}/${call.model}`) ?? this.findPublic(call);
      return price ? Number(costOf(call, price).dollars) : null;
    };
  }

  private findPublic({ provider, model }: ToldCall): Price | undefined {
    if (isOnOwnMachines(provider, model)) return undefined;
    if (this.found.has(model)) return this.found.get(model);
    const name = publicNamesOf(model).find((one) => this.listed.has(one));
    const price = name === undefined ? undefined : this.listed.get(name);
    if (this.found.size >= MAX_REMEMBERED) this.found.clear();
    this.found.set(model, price);
    return price;
  }
}
