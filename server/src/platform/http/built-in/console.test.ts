/** Files of the web console: content security, compression and caching. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { startTestServer } from '../../../../test/harness.ts';

const server = await startTestServer();
const ASSETS = join(import.meta.dirname, '../../../../../console/dist/assets');
const script = readdirSync(ASSETS).find((name) => /^index-.*\.js$/.test(name)) ?? '';

const get = (url: string, headers: Record<string, string> = {}) => server.app.inject({ url, headers });

test.each([
  '/',
  '/sign-in',
  '/invitation?token=x',
  '/device?user_code=AB',
  '/welcome',
  '/o/main/w/main/sessions/x',
])('%s returns the console page, which may only run scripts of this server', async (url) => {
  const { statusCode, headers, body } = await get(url);
  expect(statusCode).toBe(200);
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(headers['cache-control']).toBe('public, max-age=0');
  expect(body).toContain('<div id="root">');
  const policy = String(headers['content-security-policy']);
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe/);
  expect(body).not.toMatch(/<script(?![^>]* src="\/assets\/)|https?:\/\/|\son\w+=/);
});

test('assets are cached for a year, since their names contain a hash of their content', async () => {
  const { statusCode, headers } = await get(`/assets/${script}`);
  expect(statusCode).toBe(200);
  expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(headers['content-type']).toMatch(/javascript; charset=utf-8$/);
  expect(headers['x-content-type-options']).toBe('nosniff');
});

test.each([
  ['br, gzip', 'br'],
  ['gzip', 'gzip'],
  ['identity', undefined],
])('assets are compressed for a browser that takes "%s"', async (accepted, encoding) => {
  const { headers, rawPayload } = await get(`/assets/${script}`, { 'accept-encoding': accepted });
  expect(headers['content-encoding']).toBe(encoding);
  if (encoding === 'gzip') expect(gunzipSync(rawPayload).toString()).toContain('drydock');
});

test.each([
  '/assets/missing.js',
  '/assets/../index.html',
  '/assets/%2e%2e/index.html',
  '/o',
  '/nothing',
  '/.sources',
])('%s is not a file of the console', async (url) => {
  const { headers, statusCode } = await get(url);
  expect([401, 404]).toContain(statusCode);
  expect(headers['content-type']).toMatch(/^application\/json/);
});
