/** A runtime that was running when it was backed up, and the checks on the restored server. */
import { expect } from 'vitest';
import { uuidv7 } from '../src/platform/uuid.ts';
import { bundle } from './bundles.ts';
import { execute } from './databases.ts';
import { call, until } from './processes.ts';

const RUNTIMES = '/org/main/ws/main/runtimes';

interface RuntimeBody {
  readonly id: string;
  readonly status: string;
  readonly instance: { readonly state: string; readonly total_runtime_seconds: number } | null;
}

/** Its host does not exist. The lease is long enough for it to run as long as the server does. */
export async function writeRuntime(url: string, key: string, database: string): Promise<void> {
  await publish(url, key);
  const { body } = await call<RuntimeBody>(url, key, 'POST', RUNTIMES, {
    key: 'kept',
    config: { capabilities: [{ name: 'kept' }] },
  });
  const [host, sandbox] = [uuidv7(), uuidv7()];
  await execute(
    database,
    `INSERT INTO sandbox_hosts (id, url, holder_id, lease_expires_at)
       VALUES ('${host}', 'http://127.0.0.1:1', '${uuidv7()}', now() + interval '1 hour');
     UPDATE runtimes SET status = 'running', sandbox_id = '${sandbox}', host_id = '${host}', disk_id = '${uuidv7()}'
      WHERE id = '${body.id}';
     INSERT INTO sandboxes (organization_id, id, runtime_id, workspace_id, created_by, host_id, provider, provider_sandbox_id,
                            supports_pause, config_digest, state, period, period_started_at, expires_at)
     SELECT organization_id, '${sandbox}', id, workspace_id, created_by, '${host}', 'namespaces', 'x', true, config_digest,
            'running', 1, now() - interval '100 seconds', now() + interval '1 hour' FROM runtimes WHERE id = '${body.id}'`,
  );
}

async function publish(url: string, key: string): Promise<void> {
  const manifest = 'schema: 1\nname: kept\nversion: 1.0.0\ndescription: kept\n';
  const { status } = await fetch(`${url}/api/v1/org/main/capabilities/kept/1.0.0`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/gzip' },
    body: new Uint8Array(bundle({ 'capability.yaml': manifest })),
  });
  expect(status).toBe(201);
}

/** Moves the end of the leases a minute into the past, so that their runtimes count as ended. */
export const endLeases = (database: string) =>
  execute(database, "UPDATE sandbox_hosts SET lease_expires_at = now() - interval '20 seconds'");

/** Its disk is not part of a backup: the runtime is idle, its time was counted, and it starts with an empty disk when it is started. */
export async function expectIdleRuntime(url: string, key: string): Promise<void> {
  const get = async () => (await call<RuntimeBody>(url, key, 'GET', `${RUNTIMES}/kept`)).body;
  await until('the runtime is known to be idle', async () => (await get()).status === 'idle');
  const { instance } = await get();
  expect(instance?.state).toBe('killed');
  expect(instance?.total_runtime_seconds).toBeGreaterThan(50);
  const start = await call<{ detail: string }>(url, key, 'POST', `${RUNTIMES}/kept/start`);
  expect(start).toMatchObject({ status: 502, body: { type: 'sandbox_provider_error' } });
  expect(start.body.detail).toContain('reset');
  expect(await call(url, key, 'POST', `${RUNTIMES}/kept/reset`)).toMatchObject({ status: 200 });
  const installed = await call(url, key, 'GET', `${RUNTIMES}/kept/capabilities`);
  expect(installed.body).toMatchObject([
    { capability_name: 'kept', version: '1.0.0', latest_version: '1.0.0' },
  ]);
}
