/** The server under test, in a process of its own: the real application, and beside it one route that reads nothing. */
import { createAccountReader } from '@drydock/server/src/accounts/access.ts';
import { buildApp } from '@drydock/server/src/app.ts';
import { loadConfig } from '@drydock/server/src/config.ts';
import { createSigner } from '@drydock/server/src/platform/auth/signing.ts';
import { connect } from '@drydock/server/src/platform/db/connect.ts';
import { mount } from '@drydock/server/src/platform/http/mount.ts';
import { createServer } from '@drydock/server/src/platform/http/server.ts';
import { Idempotency } from '@drydock/server/src/platform/idempotency/idempotency.ts';
import { createAdmission } from '@drydock/server/src/platform/limits/admission.ts';
import { RateLimiter } from '@drydock/server/src/platform/limits/rate-limiter.ts';
import { createLog } from '@drydock/server/src/platform/log.ts';
import { createVault } from '@drydock/server/src/platform/secrets/envelope.ts';
import { readSecretKey } from '@drydock/server/src/platform/secrets/secret-key.ts';
import { sampleRoutes } from './sample-routes.ts';
import { serve } from './serve.ts';

await serve(async () => {
  const config = loadConfig(process.env);
  const secretKey = readSecretKey(config);
  const log = createLog(config.logLevel);
  const db = connect({ ...config.database, url: config.database.url ?? '', log });
  const app = await buildApp({ config, secretKey, db, log });
  // The application takes no more routes once it is built; a second one, made the same way, holds this one.
  const sample = createServer({ log, trustedProxies: config.trustedProxies });
  const limiter = new RateLimiter({ db, limits: config.rateLimits, log });
  const checks = {
    reader: createAccountReader(db, createSigner(secretKey)),
    admit: createAdmission({ limiter, minClientVersion: config.minClientVersion }),
    idempotency: new Idempotency({ db, vault: createVault(secretKey), log }),
  };
  mount(sample, checks, [sampleRoutes]);
  return {
    oneRow: await app.listen({ host: '127.0.0.1', port: 0 }),
    noStore: await sample.listen({ host: '127.0.0.1', port: 0 }),
  };
});
