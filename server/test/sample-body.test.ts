import { expect, test } from 'vitest';
import { startTestServer } from './harness.ts';
import { operations } from './operations.ts';
import { sampleBody } from './sample-body.ts';

const server = await startTestServer({ DRYDOCK_SIGNUP: 'open' });
const withBody = operations.filter(({ path, method }) => sampleBody(path, method) !== undefined);

test.each(withBody)('the sample body of $id is accepted by its schema', async ({ id, path, method }) => {
  // A unique name, so that no operation finds what another has left.
  const name = id.toLowerCase();
  const there = path
    .replace(/\{(org|workspace)\}/g, 'main')
    .replace(/\{(name|alias)\}/g, name)
    .replace('{version}', '1.0.0')
    .replace(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000');
  const given = sampleBody(path, method, undefined, name);
  const { status, body } = await server.as(server.owner)[method](there, given);
  // A missing query is reported together with the body.
  const complaints = (body?.errors ?? []).filter(
    ({ type, loc }: { type: string; loc: string[] }) => type !== 'invalid_value' && loc[0] === 'body',
  );
  expect({ status: status === 400, complaints }).toEqual({ status: false, complaints: [] });
});
