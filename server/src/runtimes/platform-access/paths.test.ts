import { expect, test } from 'vitest';
import { toPlatformPath } from './paths.ts';

const PLACE = { organizationKey: 'acme', workspaceKey: 'lab' };
const full = (url: string) => toPlatformPath(url, { ...PLACE, access: 'full' });
const inference = (url: string) => toPlatformPath(url, { ...PLACE, access: 'inference' });

test.each([
  ['/v1/chat/completions', '/api/v1/org/acme/inference/v1/chat/completions'],
  ['/v1/messages/count_tokens?beta=true', '/api/v1/org/acme/inference/v1/messages/count_tokens?beta=true'],
  ['/v1/models/sim%2Fecho', '/api/v1/org/acme/inference/v1/models/sim%2Fecho'],
  ['/v1/models%2f..%2fuser', undefined],
  ['/api/v1/org/acme/inference/v1/providers', undefined],
  ['/v1/models/sim/echo', '/api/v1/org/acme/inference/v1/models/sim/echo'],
  ['/api/v1/org/acme/inference/v1/responses', '/api/v1/org/acme/inference/v1/responses'],
  ['/api/v1/org/other/inference/v1/responses', undefined],
  ['/v1/files', undefined],
  ['/v1/models/..', undefined],
  ['/v1/models/%2e%2e/x', undefined],
  ['/v1/traces', undefined],
  ['/api/v1/org/acme/ws/lab/sessions', undefined],
])('toPlatformPath maps %s to %s with inference access', (url, path) => {
  expect(inference(url)).toBe(path);
});

test.each([
  ['/v1/traces', '/api/v1/org/acme/otel/v1/traces'],
  [
    '/api/v1/org/acme/ws/lab/sessions/x/transcript?limit=5',
    '/api/v1/org/acme/ws/lab/sessions/x/transcript?limit=5',
  ],
  ['/api/v1/org/acme/ws/other/sessions', undefined],
  ['/api/v1/org/acme/ws/lab/runtimes', undefined],
  ['/api/v1/org/acme/ws/lab/sessions/../runtimes', undefined],
])('toPlatformPath maps %s to %s with full access', (url, path) => {
  expect(full(url)).toBe(path);
});

test('toPlatformPath refuses a long path with an invalid end without backtracking', () => {
  expect(full(`/v1/models/${'a%2F'.repeat(4_000)}!`)).toBeUndefined();
  expect(full(`/api/v1/org/acme/ws/lab/sessions/${'a/'.repeat(6_000)}!`)).toBeUndefined();
});
