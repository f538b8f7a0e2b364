import type { Signer } from '../../platform/auth/signing.ts';
import type { Db } from '../../platform/db/connect.ts';
import { orgRoutes } from '../../platform/http/operations.ts';
import {
  CreditAdjustment,
  CreditBalance,
  type CreditMode,
  CreditTransaction,
  CreditTransactionPage,
  transactionQuery,
} from './schema.ts';
import { adjustCredits, getCredits, listTransactions } from './store.ts';

export function creditRoutes(db: Db, signer: Signer, mode: CreditMode) {
  return orgRoutes('Usage', (on) => {
    const read = { scope: 'usage:read', role: 'member' } as const;

    on.get(
      '/credits',
      { ...read, id: 'getCredits', summary: 'What there is of credits', response: CreditBalance },
      ({ scope }) => getCredits(db, scope, mode),
    );

    on.get(
      '/credits/transactions',
      {
        ...read,
        id: 'listCreditTransactions',
        summary: 'The ledger of credits, newest first',
        organizationWide: true,
        query: transactionQuery,
        response: CreditTransactionPage,
      },
      ({ scope, query }) => listTransactions(db, signer, scope, query),
    );

    on.post(
      '/credits/adjust',
      {
        id: 'adjustCredits',
        summary: 'Add credits, or take some back',
        description: 'For platform admins, in any organization.',
        scope: 'usage:write',
        role: 'member',
        platformAdmin: 'only',
        organizationWide: true,
        body: CreditAdjustment,
        response: CreditTransaction,
        status: 201,
      },
      ({ scope, body }) => adjustCredits(db, scope, body),
    );
  });
}
