import { expect, test } from 'vitest';
import { startTestServer } from '../../../../test/harness.ts';

const server = await startTestServer();

test('the documentation page loads nothing from other hosts, and its policy forbids it', async () => {
  const { status, body, headers } = await server.as(undefined).get('/docs');
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(body).not.toMatch(/https?:\/\/|\/\/\w/);
  const policy = String(headers['content-security-policy']);
  expect(policy).toMatch(/^default-src 'self'; /);
  expect(policy).not.toMatch(/https?:|\*|script-src/);
  expect(policy).toContain("style-src 'self' 'unsafe-inline'; ");
});

test('the documentation page uses only scripts of this server, with all telemetry disabled', async () => {
  const { body } = await server.as(undefined).get('/docs');
  const scripts = [...body.matchAll(/<script src="\/api\/v1(\/docs\/[\w.]+)">/g)].map(([, path]) => path);
  expect(scripts).toEqual(['/docs/scalar.js', '/docs/start.js']);
  for (const path of scripts) {
    const script = await server.as(undefined).get(path);
    expect(script).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/javascript; charset=utf-8' },
    });
  }
  const start = (await server.as(undefined).get('/docs/start.js')).body;
  expect(start).toContain('withDefaultFonts: false');
  expect(start).toContain('telemetry: false');
  expect(start).toContain("proxyUrl: ''");
  expect(start).toContain('agent: { disabled: true }');
});

test('the documentation page counts as a read per address, and checks the client version', async () => {
  const limited = await startTestServer({
    DRYDOCK_RATE_LIMIT_READ: '3',
    DRYDOCK_MIN_CLIENT_VERSION: '1.0.0',
  });
  const read = (path: string, headers?: Record<string, string>) =>
    limited.as(undefined).get(path, undefined, headers);
  expect((await read('/docs', { 'x-client-version': '0.1.0' })).status).toBe(426);
  expect((await read('/openapi.json')).headers['ratelimit-remaining']).toBe('2');
  expect((await read('/docs')).status).toBe(200);
  expect((await read('/docs/start.js')).status).toBe(200);
  expect((await read('/openapi.json')).status).toBe(429);
});
