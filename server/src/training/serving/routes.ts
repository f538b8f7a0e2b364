import { z } from 'zod';
import { LOCAL, listServed, registerServed, servedName, unregisterServed } from '../../inference/service.ts';
import { audit } from '../../platform/audit/audit.ts';
import type { Db } from '../../platform/db/connect.ts';
import { transactionFor } from '../../platform/db/transaction.ts';
import { notFound } from '../../platform/errors.ts';
import { Timestamp } from '../../platform/fields.ts';
import { orgRoutes } from '../../platform/http/operations.ts';
import { getModelVersion } from '../../registry/service.ts';
import type { LocalModels } from './local-models.ts';
import { findServable } from './servable.ts';

const ModelParams = z.object({ name: z.string(), version: z.string() });

const ServedModelEntry = z
  .object({
    id: z.string().describe('`local/<name>@<version>`: the model in calls of the gateway and in evaluations'),
    name: z.string(),
    version: z.string(),
    running: z.boolean().describe('It is in the memory of this process; otherwise its next call starts it'),
    created_at: Timestamp,
  })
  .meta({ id: 'ServedModel' });

const ServeResponse = z
  .object({ id: z.string().describe('For calls: `local/<name>@<version>`') })
  .meta({ id: 'ServeModelResponse' });

const MAY_SERVE = { scope: 'models:write', role: 'member' } as const;

export interface ServingOptions {
  readonly db: Db;
  readonly localModels: LocalModels;
}

/** Models of the registry that run beside the server. */
export function servingRoutes({ db, localModels }: ServingOptions) {
  return orgRoutes('Models', (on) => {
    on.post(
      '/models/:name/:version/serve',
      {
        id: 'serveModel',
        summary: 'Serve a model version beside the server',
        description:
          'Starts the model, or an adapter with its base, and resolves when it answers. From then on it is called as ' +
          '`local/<name>@<version>`. It ends after 10 minutes without a call, and the next call starts it again.',
        ...MAY_SERVE,
        params: ModelParams,
        response: ServeResponse,
        watched: true,
        long: true,
      },
      async ({ scope, params }) => {
        const { organizationId, principal } = scope;
        const { versionId, version } = await getModelVersion(db, scope, params.name, params.version);
        const served = { model: params.name, version, version_id: versionId };
        await findServable(db, organizationId, served);
        await localModels.start(organizationId, { ...served, created_at: '' });
        await transactionFor(db, scope, async (trx) => {
          await registerServed(trx, organizationId, served, principal.userId);
          await audit(trx, scope, { action: 'model.served', resource: `models/${params.name}/${version}` });
        });
        return { id: `${LOCAL}/${servedName(served)}` };
      },
    );

    on.delete(
      '/models/:name/:version/serve',
      {
        id: 'stopServingModel',
        summary: 'Stop serving a model version',
        ...MAY_SERVE,
        params: ModelParams,
      },
      async ({ scope, params }) => {
        const { organizationId } = scope;
        const served = { model: params.name, version: params.version };
        const found = (await listServed(db, organizationId)).find(
          (one) => servedName(one) === servedName(served),
        );
        if (!found) throw notFound(`Served model "${servedName(served)}"`);
        await transactionFor(db, scope, async (trx) => {
          await unregisterServed(trx, organizationId, served);
          await audit(trx, scope, {
            action: 'model.stopped',
            resource: `models/${params.name}/${params.version}`,
          });
        });
        await localModels.stop(found.version_id);
      },
    );

    on.get(
      '/served-models',
      {
        id: 'listServedModels',
        summary: 'List model versions that are served beside the server',
        scope: 'models:read',
        role: 'member',
        response: z.array(ServedModelEntry),
      },
      async ({ scope }) =>
        (await listServed(db, scope.organizationId)).map((served) => ({
          id: `${LOCAL}/${servedName(served)}`,
          name: served.model,
          version: served.version,
          running: localModels.isRunning(served.version_id),
          created_at: served.created_at,
        })),
    );
  });
}
