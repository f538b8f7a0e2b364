/** All operations on inference. */
import type { Db } from '../platform/db/connect.ts';
import type { RouteGroup } from '../platform/http/operations.ts';
import type { Vault } from '../platform/secrets/envelope.ts';
import { chatRoutes } from './chat/routes.ts';
import { embeddingRoutes } from './embeddings/routes.ts';
import { messageRoutes } from './messages/routes.ts';
import { modelRoutes } from './models/routes.ts';
import { providerRoutes } from './providers/routes.ts';
import { responseRoutes } from './responses/routes.ts';
import type { Inference } from './service.ts';

interface InferenceRouteOptions {
  readonly db: Db;
  readonly vault: Vault;
  readonly inference: Inference;
}

export function inferenceRoutes({ db, vault, inference }: InferenceRouteOptions): RouteGroup[] {
  const rules = { allowsPrivate: inference.allowsPrivate };
  const replaced = () => inference.forgetProviders();
  return [
    providerRoutes({ db, vault, rules, replaced }),
    modelRoutes(db),
    chatRoutes(db, inference.calls),
    responseRoutes(db, inference.calls),
    messageRoutes(db, inference),
    embeddingRoutes(db, inference.calls),
  ];
}
