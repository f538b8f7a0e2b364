/** Variables by which programs in a sandbox find the platform. They hold no secret, because the connection identifies the sandbox. */
import { sql } from 'kysely';
import type { Trx } from '../../platform/db/transaction.ts';
import { PROXY_PORT } from '../../platform/sandbox/namespaces/holder-scripts.ts';
import type { PlatformAccess } from '../config-schema.ts';

/** URL of the egress proxy of the sandbox, which treats requests without a host as requests to the platform. */
const PLATFORM_URL = `http://127.0.0.1:${PROXY_PORT}`;
/** Clients refuse to start without a key. The platform ignores this one. */
const PLACEHOLDER = 'drydock-sandbox';

export async function platformEnvironment(
  trx: Trx,
  { organizationId, runtimeId }: { readonly organizationId: string; readonly runtimeId: string },
  access: PlatformAccess,
): Promise<Readonly<Record<string, string>>> {
  if (access === 'none') return {};
  const { rows } = await sql<{ organization: string; workspace: string; model: string | null }>`
    SELECT o.key AS organization, w.key AS workspace, r.callable_model AS model
      FROM runtimes AS r
      JOIN organizations AS o ON o.id = r.organization_id
      JOIN workspaces AS w ON w.organization_id = r.organization_id AND w.id = r.workspace_id
     WHERE r.organization_id = ${organizationId} AND r.id = ${runtimeId}`.execute(trx);
  const [place] = rows;
  if (!place) return {};
  return {
    OPENAI_BASE_URL: `${PLATFORM_URL}/v1`,
    OPENAI_API_KEY: PLACEHOLDER,
    ANTHROPIC_BASE_URL: PLATFORM_URL,
    ANTHROPIC_API_KEY: PLACEHOLDER,
    DRYDOCK_URL: PLATFORM_URL,
    DRYDOCK_API_KEY: PLACEHOLDER,
    DRYDOCK_ORG: place.organization,
    DRYDOCK_WORKSPACE: place.workspace,
    ...(place.model !== null && { DRYDOCK_MODEL: place.model }),
    ...(access === 'full' && {
      OTEL_EXPORTER_OTLP_ENDPOINT: PLATFORM_URL,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    }),
  };
}
