/** The generated requests: the same for the same seed, and every operation gets one from an authorized caller. */
import { expect, test } from 'vitest';
import { document as committed } from '../test/operations.ts';
import { ApiDocument } from './document.ts';
import { generateRequest, type World } from './generate.ts';
import { encodeRequest } from './request.ts';

const document = new ApiDocument(committed);
const world: World = {
  document,
  credential: (persona) => `dd_${persona}`,
  pathValues: () => ['a', 'b', 'c', 'd'],
  known: () => [],
};
const generate = (seed: string, count: number) =>
  Array.from({ length: count }, (_, index) => generateRequest(world, seed, index));

test('the same seed and index give the same bytes, and another seed gives others', () => {
  const bytes = (seed: string) =>
    generate(seed, 200).map((request) => encodeRequest(request).toString('base64'));
  expect(bytes('a')).toEqual(bytes('a'));
  expect(bytes('a')).not.toEqual(bytes('b'));
});

test('the first request to every operation is valid', () => {
  const first = generate('a', document.operations.length);
  expect(first.map(({ operation }) => operation)).toEqual(document.operations);
  expect(first.filter(({ changes, delivery }) => changes.length > 0 || delivery !== 'whole')).toEqual([]);
});

test('a platform admin tries the query parameters of operations for platform admins', () => {
  const { length } = document.operations;
  const first = document.operations.findIndex(({ id }) => id === 'listJobs');
  const asked = Array.from({ length: 200 }, (_, turn) => generateRequest(world, 'a', first + turn * length));
  expect(asked.filter(({ operation }) => operation.id !== 'listJobs')).toEqual([]);
  const byAdmin = asked.filter(({ headers }) => headers.some(([, value]) => value.endsWith('dd_admin')));
  expect(byAdmin.length).toBeGreaterThan(asked.length / 2);
  const targets = byAdmin.map(({ target }) => target);
  for (const { name } of document.find('GET', '/api/v1/jobs')?.query ?? expect.fail('there are no jobs'))
    expect(targets.filter((target) => target.includes(`${name}=`)).length).toBeGreaterThan(1);
});
