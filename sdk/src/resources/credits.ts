/** Credits: the balance, transactions, and the usage of model calls. */
import type {
  CreditAdjustment,
  CreditBalance,
  CreditTransaction,
  CreditTransactionPage,
  InferenceUsageResponse,
  StorageUsage,
} from '../models.gen.ts';
import type { QueryOf } from '../operation-types.ts';
import type { List } from '../pages.ts';
import { type InOrganization, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * const where = { org: 'main' };
 * const gift = await drydock.credits.adjust(where, { amount: 5_000, note: 'Five dollars to begin with' });
 * console.log(gift.kind, gift.amount); // → adjustment 5000
 * const { balance, reserved, available, mode } = await drydock.credits.get(where);
 * console.log(available === balance - reserved, mode); // → true unlimited
 * const usage = await drydock.credits.getInferenceUsage(where, { user_id: 'all' });
 * console.log(usage.total_request_count === usage.models.reduce((sum, model) => sum + model.request_count, 0)); // → true
 * ```
 */
export class Credits extends Resource {
  get(where: InOrganization, options?: CallOptions): Promise<CreditBalance> {
    return this.client.call('getCredits', { path: where }, options);
  }

  /** Lists transactions, newest first. */
  listTransactions(
    where: InOrganization,
    filters?: QueryOf<'listCreditTransactions'>,
    options?: CallOptions,
  ): List<CreditTransactionPage> {
    const query = filters && { query: filters };
    return this.client.list('listCreditTransactions', { path: where, ...query }, options);
  }

  /** Changes the balance; for platform admins. */
  adjust(
    where: InOrganization,
    adjustment: CreditAdjustment,
    options?: CallOptions,
  ): Promise<CreditTransaction> {
    return this.client.call('adjustCredits', { path: where, body: adjustment }, options);
  }

  /** Returns the stored bytes of the organization, with its quotas. */
  getStorageUsage(where: InOrganization, options?: CallOptions): Promise<StorageUsage> {
    return this.client.call('getStorageUsage', { path: where }, options);
  }

  /** Returns usage by model: by default yours, of this month. */
  getInferenceUsage(
    where: InOrganization,
    filters?: QueryOf<'getInferenceUsage'>,
    options?: CallOptions,
  ): Promise<InferenceUsageResponse> {
    return this.client.call(
      'getInferenceUsage',
      { path: where, ...(filters && { query: filters }) },
      options,
    );
  }
}
