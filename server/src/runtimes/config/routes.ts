import type { Db } from '../../platform/db/connect.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import { RuntimeConfigReplaceRequest, RuntimeConfigResponse } from '../config-schema.ts';
import type { RuntimeOperator } from '../operator.ts';
import { RuntimeParams } from '../schema.ts';
import { readReplacement } from './canonical-config.ts';
import { getConfig, replaceConfig } from './store.ts';

export function configRoutes(db: Db, operator: Pick<RuntimeOperator, 'setCapabilities'>) {
  return workspaceRoutes('Runtimes', (on) => {
    on.get(
      '/runtimes/:runtime/config',
      {
        id: 'getRuntimeConfig',
        summary: 'Get the configuration of a runtime',
        description: 'With its defaults. Values of the environment are shown to its owner only.',
        scope: 'runtimes:read',
        role: 'reader',
        params: RuntimeParams,
        response: RuntimeConfigResponse,
      },
      ({ scope, params }) => getConfig(db, scope, params.runtime),
    );

    on.put(
      '/runtimes/:runtime/config',
      {
        id: 'replaceRuntimeConfig',
        summary: 'Replace the configuration of a runtime',
        description:
          'All of it; what is not given is reset to its default. What runs stays as it is: the next start is by the new one. ' +
          'Capabilities that it lists are installed, or changed to what it says, at once; others stay installed. ' +
          'Without any key of a configuration, the request is refused. Only its owner can.',
        scope: 'runtimes:write',
        role: 'contributor',
        params: RuntimeParams,
        body: RuntimeConfigReplaceRequest,
        response: RuntimeConfigResponse,
      },
      ({ scope, params, body, request, ignore }) => {
        const replacement = readReplacement(body, request.body);
        ignore(replacement.ignored);
        return replaceConfig(db, operator, scope, params.runtime, replacement);
      },
    );
  });
}
