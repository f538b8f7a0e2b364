/** Every operation of the API has its method, each streaming operation has a second one, and there are no others. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Drydock } from '../src/drydock.ts';
import { Resource } from '../src/resource.ts';
import { refusal, type Seen, startScriptedServer } from './scripted-server.ts';

interface Documented {
  readonly operationId: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

const EVENTS = 'text/event-stream';

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>;
};
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, { operationId, parameters = [], responses }]) => {
    const request = `${method.toUpperCase()} ${path}`;
    const takesKey = parameters.some(({ name }) => name.toLowerCase() === 'idempotency-key');
    const { 'application/json': json, [EVENTS]: events } = responses['200']?.content ?? {};
    // Streams take no idempotency key.
    const followed = { id: `${operationId} as events`, request: `${request} as events`, takesKey: false };
    if (!events) return [{ id: operationId, request, takesKey }];
    return json ? [{ id: operationId, request, takesKey }, followed] : [followed];
  }),
);

/** Stands for every path, body and query: each of its values is its own name in braces, as in a path of the document. */
const anything = new Proxy({}, { get: (_target, name) => `{${String(name)}}` });

type Method = (...args: readonly unknown[]) => AsyncIterable<unknown> | Promise<unknown>;

/** Calls every method of every resource; each request identifies its operation. */
async function callEverything(): Promise<{ method: string; seen: Seen }[]> {
  const server = await startScriptedServer(refusal(404, 'not_found_error', 'Only asking.'));
  const drydock = new Drydock({ baseUrl: server.url, apiKey: 'dd_key' });
  const calls: { method: string; seen: Seen }[] = [];
  for (const [name, resource] of Object.entries(drydock)) {
    if (!(resource instanceof Resource)) continue;
    const methods = resource as unknown as Record<string, Method>;
    for (const method of methodsOf(resource)) {
      const call = (methods[method] as Method).bind(resource);
      const given: unknown[] = Array.from({ length: call.length - 1 }, () => anything);
      const failure = await failureOf(call(...given));
      // Uploads accept only bytes, and refuse other values before sending.
      const isUpload = failure instanceof TypeError && failure.message.includes('takes bytes');
      const last = isUpload ? await failureOf(call(...given.slice(0, -1), new Uint8Array(1))) : failure;
      expect(last, `${name}.${method}`).toMatchObject({ type: 'not_found_error' });
      calls.push(...server.seen.slice(calls.length).map((seen) => ({ method: `${name}.${method}`, seen })));
    }
  }
  return calls;
}

/** Methods of the class and of those it extends. */
function methodsOf(resource: Resource): string[] {
  const own: object = Object.getPrototypeOf(resource);
  if (own === Resource.prototype) return [];
  const names = Object.getOwnPropertyNames(own).filter((name) => name !== 'constructor');
  return [...names, ...methodsOf(own as Resource)];
}

async function failureOf(response: ReturnType<Method>): Promise<unknown> {
  const end = Symbol.asyncIterator in response ? Array.fromAsync(response) : response;
  return end.then(
    () => undefined,
    (error: unknown) => error,
  );
}

const calls = await callEverything();
const requestOf = ({ method, url, headers }: Seen) =>
  `${method} ${decodeURIComponent(url.replace(/\?.*/, ''))}${headers.accept === EVENTS ? ' as events' : ''}`;

test('every operationId has exactly one method, and one more for streaming if supported', () => {
  const wrong = operations.flatMap(({ id, request }) => {
    const methods = calls.filter(({ seen }) => requestOf(seen) === request).map(({ method }) => method);
    if (methods.length === 1) return [];
    return methods.length > 1
      ? `${id} has ${methods.length} methods: ${methods.join(', ')}. Keep one.`
      : `${id} (${request}) has no method. Add one to the class of its domain in sdk/src/resources, ` +
          'or a class of its own there that sdk/src/drydock.ts makes.';
  });
  expect(wrong).toEqual([]);
  expect(operations.length).toBeGreaterThan(40);
});

test('every method calls an operation', () => {
  const requests = new Set(operations.map(({ request }) => request));
  expect(calls.filter(({ seen }) => !requests.has(requestOf(seen)))).toEqual([]);
});

test('exactly the operations that take an idempotency key are sent one', () => {
  const keyed = calls
    .filter(({ seen }) => seen.headers['idempotency-key'])
    .map(({ seen }) => requestOf(seen));
  const expected = operations.filter(({ takesKey }) => takesKey).map(({ request }) => request);
  expect(keyed.toSorted()).toEqual(expected.toSorted());
});
