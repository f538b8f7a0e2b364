import { expect, test } from 'vitest';
import { startTestServer } from './harness.ts';
import { operations } from './operations.ts';
import { sampleBody } from './sample-body.ts';

const server = await startTestServer({ DRYDOCK_SIGNUP: 'open' });
const withBody = operations.filter(({ path, method }) => sampleBody(path, method) !== undefined);

test.each(withBody)('the sample body of $id is accepted by its schema', async ({ path, method }) => {
  const there = path
    .replace(/\{(org|workspace)\}/g, 'main')
    .replace(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000');
  const { status, body } = await server.as(server.owner)[method](there, sampleBody(path, method));
  const complaints = (body?.errors ?? []).filter((item: { type: string }) => item.type !== 'invalid_value');
  expect({ status: status === 400, complaints }).toEqual({ status: false, complaints: [] });
});
