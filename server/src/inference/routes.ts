/** All operations on inference. */
import type { Db } from '../platform/db/connect.ts';
import type { RouteGroup } from '../platform/http/operations.ts';
import type { Vault } from '../platform/secrets/envelope.ts';
import { chatRoutes } from './chat/routes.ts';
import { embeddingRoutes } from './embeddings/routes.ts';
import { messageRoutes } from './messages/routes.ts';
import { modelRoutes } from './models/routes.ts';
import { providerRoutes } from './providers/routes.ts';
import type { CallRecorder } from './recording/call-recorder.ts';
import { responseRoutes } from './responses/routes.ts';
import type { Inference } from './service.ts';

interface InferenceRouteOptions {
  readonly db: Db;
  readonly vault: Vault;
  readonly inference: Inference;
  readonly recorder: CallRecorder;
}

export function inferenceRoutes({ db, vault, inference, recorder }: InferenceRouteOptions): RouteGroup[] {
  const rules = { allowsPrivate: inference.allowsPrivate };
  const replaced = () => inference.forgetProviders();
  return [
    providerRoutes({ db, vault, rules, replaced }),
    modelRoutes(db),
    chatRoutes(recorder, inference.calls),
    responseRoutes(recorder, inference.calls),
    messageRoutes(recorder, inference),
    embeddingRoutes(recorder, inference.calls),
  ];
}
