/** Model calls for routes, jobs and engines: one catalog, one metering, one set of limits, in every process. */
import type { Db } from '../platform/db/connect.ts';
import type { Log } from '../platform/log.ts';
import { GuardedClient } from '../platform/net/guarded-client.ts';
import type { Vault } from '../platform/secrets/envelope.ts';
import { ModelCalls } from './calls/model-calls.ts';
import { makersOn, StoredCatalog } from './catalog.ts';
import { MeteredCalls } from './metering/metered-calls.ts';
import { SandboxSpending } from './metering/sandbox-spending.ts';
import type { LocalModelHost, OfferedModel } from './offered-model.ts';

export { LOCAL_OUTPUT_TOKENS } from './catalog.ts';
export type { LocalModelHost } from './offered-model.ts';
export {
  findModelNode,
  LOCAL,
  listServed,
  registerServed,
  type ServedModel,
  servedName,
  unregisterServed,
} from './served/store.ts';

export interface InferenceOptions {
  readonly db: Db;
  readonly vault: Vault;
  readonly log: Log;
  readonly credits: 'unlimited' | 'enforced';
  /** Allows providers with addresses on this machine and its network. */
  readonly allowsPrivate: boolean;
  /** Runs models of the registry on this machine. */
  readonly localModels?: LocalModelHost | undefined;
}

export class Inference {
  readonly allowsPrivate: boolean;
  readonly calls: ModelCalls;
  readonly #client: GuardedClient;
  readonly #catalog: StoredCatalog;
  readonly #ledger: MeteredCalls;

  constructor({ db, vault, log, credits, allowsPrivate, localModels }: InferenceOptions) {
    this.allowsPrivate = allowsPrivate;
    this.#client = new GuardedClient(allowsPrivate ? { isReachable: () => true } : {});
    this.#catalog = new StoredCatalog({ db, vault, makers: makersOn(this.#client), localModels });
    this.#ledger = new MeteredCalls({ db, credits, log });
    this.calls = new ModelCalls({
      catalog: this.#catalog,
      ledger: this.#ledger,
      spending: new SandboxSpending(db),
      log,
    });
  }

  /**
   * Calls a model and resolves with its whole response, after the call is stored with its usage and cost. Does not check permissions: a job
   * checks those of its user first (`scopeOf`).
   * @throws {ApiError} `usage_limit_exceeded_error`, with the reason `insufficient_quota` when credits are missing, and without a reason
   * when too many calls are in progress; otherwise the provider's error
   */
  readonly callModel: ModelCalls['call'] = (call) => this.calls.call(call);

  /** Calls a model and resolves when its first chunks have arrived. */
  readonly streamModel: ModelCalls['stream'] = (call) => this.calls.stream(call);

  /** @throws {ApiError} `not_found_error` when the organization cannot call such a model */
  async getModel(organizationId: string, id: string): Promise<OfferedModel> {
    return this.#catalog.getModel(organizationId, id);
  }

  /** Drops cached providers after an organization has changed them. */
  forgetProviders(): void {
    this.#catalog.forget();
  }

  /** Resolves when every call is stored. Callers must stop before. */
  async close(): Promise<void> {
    await this.calls.drain();
    await this.#ledger.drain();
    this.#client.close();
  }
}
