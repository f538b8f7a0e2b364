import { expect, test } from 'vitest';
import { JOBS, startOptimizationWorld } from '../../test/optimization-world.ts';

const { me, toRequest } = await startOptimizationWorld({
  environment: { DRYDOCK_VENDOR_WORDS: '1' },
  hasWorker: false,
});

test('createOptimizationJob names its backend as other products do with DRYDOCK_VENDOR_WORDS', async () => {
  const { body } = await me.post(JOBS, toRequest({ backend: 'gepa' }));
  expect(body.backend).toBe('gepa');
  expect((await me.get(`${JOBS}/${body.id}`)).body.backend).toBe('gepa');
  expect((await me.get(JOBS)).body.items[0].backend).toBe('gepa');
  expect((await me.post(`${JOBS}/${body.id}/cancel`)).body.backend).toBe('gepa');
});
