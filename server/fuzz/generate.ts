/** Generates one request from a seed, an index and the resources that exist on the server. */
import { makeBundle, makeManifest } from './bundle.ts';
import { changeBody, changeFields } from './change-body.ts';
import {
  changeContentHeaders,
  changeCredential,
  changeFraming,
  changeOtherHeaders,
} from './change-headers.ts';
import { changeMethod, changePath, changeQuery, changeTarget } from './change-target.ts';
import { changeUpload } from './change-upload.ts';
import { type ApiDocument, JSON_TYPE, type Operation, type Schema } from './document.ts';
import { RawJson, toJsonText } from './json-text.ts';
import { Random } from './random.ts';
import type { Delivery, FuzzRequest } from './request.ts';
import { badValue, goodValue, type ValueContext } from './values.ts';

export type PersonaName = 'owner' | 'login' | 'member' | 'narrow' | 'outsider' | 'admin';

/** The generator's knowledge of the server: callers and resources. */
export interface World {
  readonly document: ApiDocument;
  credential(persona: PersonaName): string;
  /** Always returns the same number of values, whatever was deleted in between, so that the choice by a seed stays the same. */
  pathValues(path: string): readonly string[];
  known: ValueContext['known'];
}

const PERSONAS: readonly (readonly [number, PersonaName])[] = [
  [60, 'owner'],
  [12, 'login'],
  [12, 'member'],
  [8, 'narrow'],
  [8, 'outsider'],
];

/** Operations for platform admins refuse all other callers before they look at the request. */
const PERSONAS_FOR_ADMINS: readonly (readonly [number, PersonaName])[] = [[300, 'admin'], ...PERSONAS];

type Change = readonly [name: string, apply: (request: FuzzRequest, context: ValueContext) => void];

const CHANGES: readonly (readonly [weight: number, change: Change])[] = [
  [34, ['fields', (request, context) => setFields(request, context)]],
  [10, ['body', (request, context) => setBody(request, context)]],
  [12, ['path', (request, { random }) => changePath(request, random)]],
  [12, ['query', (request, { random }) => changeQuery(request, random)]],
  [4, ['target', (request, { random }) => changeTarget(request, random)]],
  [5, ['method', (request, { random }) => changeMethod(request, random)]],
  [6, ['content headers', (request, { random }) => changeContentHeaders(request, random)]],
  [2, ['framing', (request, { random }) => changeFraming(request, random)]],
  [10, ['headers', (request, { random }) => changeOtherHeaders(request, random)]],
  [7, ['credential', (request, { random }) => changeCredential(request, random)]],
];

/** Only few requests have an odd delivery, since those are slow. */
const DELIVERIES: readonly (readonly [number, Delivery])[] = [
  [90, 'whole'],
  [4, 'chunked'],
  [2, 'pipelined'],
  [1.5, 'cut'],
  [1.5, 'abandoned'],
  [1, 'slow'],
];

const NEW_VERSION = '2.0.0';

/** The first request to each operation is one that it must accept; later ones may be refused for good reasons. */
export const isPlain = (document: ApiDocument, index: number) => index < document.operations.length;

export function generateRequest(world: World, seed: string, index: number): FuzzRequest {
  const random = new Random(seed, index);
  const { document } = world;
  // Operations take turns, so that each gets its share.
  const operation = document.operations[index % document.operations.length] as Operation;
  if (isPlain(document, index)) return plainRequest(world, random, operation);
  const context: ValueContext = { document, random, known: (field, schema) => world.known(field, schema) };
  const request = goodRequest(world, context, operation);
  for (
    let count = random.weighted([
      [10, 0],
      [60, 1],
      [30, 2],
    ]);
    count > 0;
    count--
  ) {
    const [name, apply] = random.weighted(CHANGES);
    request.changes.push(name);
    apply(request, context);
  }
  if (request.method !== 'HEAD' && !request.isMalframed) request.delivery = random.weighted(DELIVERIES);
  return request;
}

function plainRequest(world: World, random: Random, operation: Operation): FuzzRequest {
  const { platform_admin, narrowed_keys } = operation.access;
  const isMaker = operation.responses.has(201);
  const context: ValueContext = {
    document: world.document,
    random,
    isPlain: true,
    // Existing users cannot be created again.
    known: (field, schema) => (isMaker && field === 'email_address' ? [] : world.known(field, schema)),
  };
  const path = operation.path.replace(/\{[^}]+\}/g, (name, at: number) => {
    // A multi-step upload creates a version that does not exist yet.
    if (name === '{version}' && isMaker && operation.method === 'POST') return NEW_VERSION;
    return encodeURIComponent(world.pathValues(operation.path.slice(0, at + name.length))[0] ?? '');
  });
  const persona = platform_admin ? 'admin' : narrowed_keys ? 'narrow' : 'owner';
  return compose(context, operation, path, world.credential(persona));
}

function goodRequest(world: World, context: ValueContext, operation: Operation): FuzzRequest {
  const { random } = context;
  const path = operation.path.replace(/\{[^}]+\}/g, (name, at: number) => {
    const end = at + name.length;
    const values = world.pathValues(operation.path.slice(0, end));
    // Resources below it are known for the first one only.
    const isParent = operation.path.includes('{', end);
    return encodeURIComponent(isParent && random.chance(0.7) ? (values[0] ?? '') : random.pick(values));
  });
  const query = operation.query
    .filter(() => random.chance(0.4))
    .map(({ name, schema }) => {
      const isGood = random.chance(0.7);
      const value = isGood ? goodValue(context, schema, name) : badValue(context, schema);
      return [value]
        .flat()
        .slice(0, 50)
        .map((item) => `${name}=${encodeURIComponent(toText(item).toWellFormed())}`)
        .join('&');
    })
    .filter((part) => part.length < 8_000);
  const personas = operation.access.platform_admin ? PERSONAS_FOR_ADMINS : PERSONAS;
  const target = query.length > 0 ? `${path}?${query.join('&')}` : path;
  return compose(context, operation, target, world.credential(random.weighted(personas)));
}

function compose(
  context: ValueContext,
  operation: Operation,
  target: string,
  credential: string,
): FuzzRequest {
  const { random } = context;
  const body = operation.upload
    ? makeBundle(partOf(operation, target, 'name'), partOf(operation, target, 'version'))
    : operation.body && Buffer.from(toJsonText(goodBody(context, operation, target, operation.body)));
  return {
    operation,
    method: operation.method,
    target,
    headers: [
      ['Host', 'fuzz.example'],
      ['Connection', 'close'],
      ...(body ? [['Content-Type', operation.upload ?? JSON_TYPE] as const] : []),
      random.chance(0.8) ? ['Authorization', `Bearer ${credential}`] : ['X-API-Key', credential],
      // Logins are counted by address: with many addresses, few of them are refused for that.
      ['X-Forwarded-For', `10.${random.integer(0, 255)}.${random.integer(0, 255)}.1`],
    ],
    body,
    delivery: 'whole',
    cutAt: random.fraction(),
    isStranger: false,
    isMalframed: false,
    changes: [],
  };
}

/** Fits its schema, and contains a manifest that matches the path, which no schema describes. */
function goodBody(context: ValueContext, operation: Operation, target: string, schema: Schema): unknown {
  const value = goodValue(context, schema);
  if (typeof value !== 'object' || value === null || !('manifest' in value)) return value;
  const [name, version] = [partOf(operation, target, 'name'), partOf(operation, target, 'version')];
  return { ...value, manifest: makeManifest(name, version) };
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value.toWellFormed();
  return value instanceof RawJson ? value.text.slice(0, 500) : toJsonText(value).toWellFormed().slice(0, 500);
}

/** Returns the value of this placeholder in the path. */
function partOf({ path }: Operation, target: string, name: string): string {
  const [given = ''] = target.split('?', 1);
  return decodeURIComponent(given.split('/')[path.split('/').indexOf(`{${name}}`)] ?? '');
}

function setBody(request: FuzzRequest, context: ValueContext): void {
  const { upload, otherUpload } = request.operation;
  if (upload) return changeUpload(request, context.random);
  if (!otherUpload || context.random.chance(0.5)) return changeBody(request, context);
  changeUpload(request, context.random);
  request.headers = request.headers.filter(([name]) => name !== 'Content-Type');
  request.headers.push(['Content-Type', otherUpload]);
}

function setFields(request: FuzzRequest, context: ValueContext): void {
  const { body, upload } = request.operation;
  if (upload) return changeUpload(request, context.random);
  // Sends a body even if none is expected: the operation must ignore it.
  const schema = body ?? { type: 'object' };
  const good = goodBody(context, request.operation, request.target, schema);
  request.body = Buffer.from(toJsonText(changeFields(context, schema, good)));
  if (!body) request.headers.push(['Content-Type', JSON_TYPE]);
}
