/** Inference as a whole: what it is made of, and how it ends. */
import type { Db } from '../platform/db/connect.ts';
import type { RouteGroup } from '../platform/http/operations.ts';
import type { Log } from '../platform/log.ts';
import type { Vault } from '../platform/secrets/envelope.ts';
import { StoredCatalog } from './catalog.ts';
import { ChatGateway } from './chat/gateway.ts';
import { openChatModels } from './chat-models.ts';
import { MeteredCalls } from './metering/metered-calls.ts';
import { inferenceRoutes } from './routes.ts';

export interface InferenceOptions {
  readonly db: Db;
  readonly vault: Vault;
  readonly log: Log;
  readonly credits: 'unlimited' | 'enforced';
  /** Whether models may be called at addresses of this machine and its network. */
  readonly allowsPrivate: boolean;
}

export interface Inference {
  readonly routes: readonly RouteGroup[];
  /** Resolves when every call is written down; nobody asks any more by then. */
  close(): Promise<void>;
}

export function openInference({ db, vault, log, credits, allowsPrivate }: InferenceOptions): Inference {
  const models = openChatModels(allowsPrivate);
  const catalog = new StoredCatalog({ db, vault, makers: models.makers });
  const book = new MeteredCalls({ db, credits, log });
  const gateway = new ChatGateway({ catalog, book, log });
  const routes = inferenceRoutes({
    db,
    vault,
    rules: { allowsPrivate },
    replaced: () => catalog.forget(),
    gateway,
  });
  return {
    routes,
    async close() {
      await gateway.drain();
      await book.drain();
      models.close();
    },
  };
}
