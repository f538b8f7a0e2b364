/** What is sent: the same for the same seed, and to every operation by someone whom it hears. */
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

test('the same seed and index make the same bytes, another seed makes others', () => {
  const bytes = (seed: string) =>
    generate(seed, 200).map((request) => encodeRequest(request).toString('base64'));
  expect(bytes('a')).toEqual(bytes('a'));
  expect(bytes('a')).not.toEqual(bytes('b'));
});

test('the first request to every operation is as it should be', () => {
  const first = generate('a', document.operations.length);
  expect(first.map(({ operation }) => operation)).toEqual(document.operations);
  expect(first.filter(({ changes, delivery }) => changes.length > 0 || delivery !== 'whole')).toEqual([]);
});

test('the query of what is for platform admins is tried by one', () => {
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
