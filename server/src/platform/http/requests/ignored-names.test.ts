import { expect, test } from 'vitest';
import { z } from 'zod';
import { startTestServer } from '../../../../test/harness.ts';
import { orgRoutes } from '../operations.ts';
import { ignoredNameFinder } from './ignored-names.ts';

const Form = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), url: z.string() }),
]);
const Node = z.object({
  name: z.string().optional(),
  get children() {
    return z.array(Node).optional();
  },
});
const Body = z.object({
  name: z.string(),
  size: z.object({ cpu: z.int().default(2) }).optional(),
  parts: z.array(Form).optional(),
  labels: z.record(z.string(), z.string()).optional(),
  free: z.unknown().optional(),
  open: z.looseObject({ known: z.object({ a: z.int().optional() }).optional() }).optional(),
  tree: Node.optional(),
  both: z.intersection(z.object({ left: z.int() }), z.object({ right: z.int() })).optional(),
  either: z.union([z.string(), z.object({ one: z.int() })]).optional(),
  ready: z.preprocess((given) => given, z.object({ x: z.int() })).optional(),
});

const access = { scope: 'datasets:write', role: 'member' } as const;
const routes = [
  orgRoutes('Test', (on) => {
    const query = z.object({ search: z.string().optional(), limit: z.int().max(100).optional() });
    on.get(
      '/finds',
      { id: 'find', summary: 'Find', ...access, query, response: z.unknown() },
      (call) => call.query,
    );
    on.post(
      '/makes',
      { id: 'make', summary: 'Make', ...access, body: Body, response: z.unknown() },
      (call) => call.body,
    );
    on.post('/starts', { id: 'startIt', summary: 'Start', ...access }, () => undefined);
    on.post('/uses', { id: 'useSome', summary: 'Use', ...access, body: Body }, (call) => {
      call.ignore([
        ['body', 'size'],
        ['body', 'naïve, "ä"\u{d800}'],
      ]);
    });
  }),
];
const server = await startTestServer({}, routes);
const owner = server.as(server.owner);

test.each([
  ['serch=foo', 'query.serch: is not a parameter of this operation; did you mean "search"?'],
  ['q=foo', 'query.q: is not a parameter of this operation; did you mean "search"?'],
  ['page_size=5', 'query.page_size: is not a parameter of this operation; did you mean "limit"?'],
])('a request with the misspelt query parameter %s is refused', async (query, detail) => {
  expect(await owner.get(`/org/main/finds?${query}`)).toMatchObject({ status: 422, body: { detail } });
});

test('a request with other unknown query parameters lists them in Drydock-Ignored', async () => {
  const { status, body, headers } = await owner.get('/org/main/finds?search=a&colour=red&x=1');
  expect([status, body, headers['drydock-ignored']]).toEqual([200, { search: 'a' }, 'query.colour, query.x']);
});

test('a request without unknown names has no Drydock-Ignored', async () => {
  const { headers } = await owner.get('/org/main/finds?search=a');
  expect(headers).not.toHaveProperty('drydock-ignored');
});

test.each([
  [{ desciption: 'x', name: 'a' }, 'body.desciption'],
  [{ name: 'a', size: { cpus: 4 } }, 'body.size.cpus'],
  [{ name: 'a', parts: [{ type: 'text', text: 'x', url: 'y' }] }, 'body.parts.0.url'],
  [{ name: 'a', tree: { children: [{ nmae: 'x' }] } }, 'body.tree.children.0.nmae'],
  [{ name: 'a', open: { other: 1, known: { b: 1 } } }, 'body.open.known.b'],
  [{ name: 'a', both: { left: 1, right: 2, middle: 3 } }, 'body.both.middle'],
  [{ name: 'a', either: { one: 1, two: 2 } }, 'body.either.two'],
  [{ name: 'a', ready: { x: 1, y: 2 } }, 'body.ready.y'],
  [{ name: 'a', labels: { any: 'x' }, free: { what: { ever: 1 } } }, undefined],
])('a request with unknown body fields lists them in Drydock-Ignored (%#)', async (body, ignored) => {
  const response = await owner.post('/org/main/makes', body);
  expect([response.status, response.headers['drydock-ignored']]).toEqual([200, ignored]);
});

test('a refused request lists its unknown fields too', async () => {
  const { status, headers } = await owner.post('/org/main/makes', { nmae: 'a' });
  expect([status, headers['drydock-ignored']]).toEqual([422, 'body.nmae']);
});

test('an operation without a body lists everything that was sent', async () => {
  const { status, headers } = await owner.post('/org/main/starts', { timeout: 5, mode: 'x' });
  expect([status, headers['drydock-ignored']]).toEqual([204, 'body.timeout, body.mode']);
});

test('an operation lists what it did not use, encoded for a header', async () => {
  const { headers } = await owner.post('/org/main/uses', { name: 'a', colour: 'red' });
  expect(headers['drydock-ignored']).toBe(
    'body.colour, body.size, body.na%C3%AFve%2C%20%22%C3%A4%22%EF%BF%BD',
  );
});

test.each(['makes', 'starts'])('a request to %s lists at most twenty unknown fields', async (path) => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`field${index}`, index]));
  const { headers } = await owner.post(`/org/main/${path}`, { name: 'a', ...many });
  expect(String(headers['drydock-ignored']).split(', ')).toHaveLength(20);
});

test('the search of an unused body stops when the header is full', () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`field${index}`, index]));
  const findIn = ignoredNameFinder({ id: 'startIt', summary: 'Start', ...access });
  expect(findIn({}, many).ignored).toHaveLength(20);
});
