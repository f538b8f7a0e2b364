import { expect, test } from 'vitest';
import { toSessionPolicy } from './session-policy.ts';

test.each(['read', 'write'] as const)('to %s: a token service takes a policy of that length', (access) => {
  const id = '0199c0de-0000-7000-8000-000000000000';
  const grant = { prefix: `orgs/${id}/workspaces/${id}/`, access };
  const policy = toSessionPolicy('b'.repeat(63), grant);
  expect(JSON.stringify(policy).length).toBeLessThan(2_048);
});
