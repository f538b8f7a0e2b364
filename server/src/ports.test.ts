import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from './config.ts';
import { explainListening, requireFreePorts } from './ports.ts';

/** Takes a port of the loopback address while the test runs. */
async function takePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return String((server.address() as AddressInfo).port);
}

const FREE = { PORT: '0', DRYDOCK_S3_PORT: '0' };
const refusal = (environment: Record<string, string>) =>
  requireFreePorts(loadConfig({ ...FREE, ...environment })).then(
    () => 'not refused',
    (error: Error) => error.message,
  );

test.each([
  ['PORT', 'the API'],
  ['DRYDOCK_S3_PORT', 'the S3 gateway'],
  ['DRYDOCK_METRICS_PORT', 'the metrics listener'],
])('requireFreePorts names %s when its port is taken', async (setting, purpose) => {
  const port = await takePort();
  expect(await refusal({ [setting]: port })).toBe(
    `127.0.0.1:${port} is taken by another program, and ${purpose} needs it. ` +
      `Stop that program, or set ${setting} to a free port.`,
  );
});

test('requireFreePorts ignores ports that the process will not use', async () => {
  const port = await takePort();
  expect(await refusal({ DRYDOCK_ROLE: 'worker', PORT: port, DRYDOCK_S3_PORT: port })).toBe('not refused');
  expect(await refusal({ DRYDOCK_S3_PORT: port, S3_BUCKET: 'outside' })).toBe('not refused');
});

test('requireFreePorts finds two settings that name the same port, and leaves it free', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = String((server.address() as AddressInfo).port);
  server.close();
  await once(server, 'close');
  expect(await refusal({ PORT: port, DRYDOCK_S3_PORT: port })).toContain(
    'set DRYDOCK_S3_PORT to a free port',
  );
  expect(await refusal({ PORT: port })).toBe('not refused');
});

test('requireFreePorts names HOST when it is not an address of this machine', async () => {
  expect(await refusal({ HOST: '192.0.2.1' })).toBe(
    '192.0.2.1 is not an address of this machine (EADDRNOTAVAIL). Set HOST to one, such as 127.0.0.1 or 0.0.0.0.',
  );
});

test('explainListening explains a port that only root may take', () => {
  const port = { setting: 'PORT', purpose: 'the API', host: '0.0.0.0', port: 80 } as const;
  expect(explainListening(Object.assign(new Error('x'), { code: 'EACCES' }), port)).toBe(
    '0.0.0.0:80 is not open to this user, and the API needs it. Set PORT to a port from 1024 on.',
  );
});
