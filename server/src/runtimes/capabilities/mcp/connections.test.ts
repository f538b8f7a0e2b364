/** Limits on running MCP servers. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { MCP_SERVER } from '../../../../test/capabilities.ts';
import { openLocalSandbox } from '../../../../test/local-executions.ts';
import { McpConnection } from './connection.ts';
import { McpConnections } from './connections.ts';

const PER_SANDBOX = 16;
const sandbox = await openLocalSandbox();
await writeFile(join(sandbox.folder, 'server.sh'), MCP_SERVER, { mode: 0o755 });
const connections = new McpConnections();
afterAll(() => connections.close());

const open = async () => {
  const command = { argv: ['/workspace/server.sh'] as const, cwd: '/workspace', environment: {} };
  return McpConnection.open(await sandbox.exec(command), 'one');
};
const use = (sandboxId: string, server: string, work: Promise<unknown>) =>
  connections.use({ sandboxId, bindingId: 'b', state: 's', server }, open, () => work);

test('servers of one sandbox do not use up the limit of others, and an idle server is ended when the limit is reached', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const busy = Array.from({ length: PER_SANDBOX }, (_, index) => use('first', `server ${index}`, promise));
  await expect(use('first', 'one more', promise)).rejects.toMatchObject({
    status: 429,
    type: 'sandbox_provider_rate_limit_error',
  });
  await use('second', 'another', Promise.resolve());
  resolve();
  await Promise.all(busy);
  expect(sandbox.executions).toHaveLength(PER_SANDBOX + 1);
  await use('first', 'one more', Promise.resolve());
  expect(sandbox.executions).toHaveLength(PER_SANDBOX + 2);
  // The server that was idle longest has ended.
  await Promise.race(sandbox.executions.map(({ exit }) => exit));
});
