/** Routes of usage and credits. */
import type { Signer } from '../platform/auth/signing.ts';
import type { Db } from '../platform/db/connect.ts';
import type { RouteGroup } from '../platform/http/operations.ts';
import { creditRoutes } from './credits/routes.ts';
import type { CreditMode } from './credits/schema.ts';
import { inferenceUsageRoutes } from './inference/routes.ts';
import { storageUsageRoutes } from './storage/routes.ts';

export interface UsageOptions {
  readonly db: Db;
  readonly signer: Signer;
  readonly credits: CreditMode;
}

export function usageRoutes({ db, signer, credits }: UsageOptions): RouteGroup[] {
  return [inferenceUsageRoutes(db), creditRoutes(db, signer, credits), storageUsageRoutes(db)];
}
