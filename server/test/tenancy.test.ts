/**
 * Tries every operation of the document with every caller that must be refused, and checks that nothing changed. A new operation is covered
 * as soon as it is in the document.
 */
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeBundle } from '../fuzz/bundle.ts';
import { insertKey } from '../src/accounts/keys/store.ts';
import { createOrganization } from '../src/accounts/organizations/create.ts';
import { ORG_ROLES, WORKSPACE_ROLES } from '../src/platform/auth/principal.ts';
import { SCOPES } from '../src/platform/auth/scopes.ts';
import { transaction } from '../src/platform/db/transaction.ts';
import { uuidv7 } from '../src/platform/uuid.ts';
import { PLURALS } from '../src/registry/kinds.ts';
import { startTestServer } from './harness.ts';
import { type ApiDocument, type DocumentedOperation, toOperations } from './operations.ts';
import { sampleBody, sampleQuery } from './sample-body.ts';
import { addHost, addSandbox } from './sandbox-rows.ts';
import { seedEngines } from './seeded-engines.ts';
import { insertTrainingJobOf } from './training-rows.ts';

const PUBLIC = [
  'getHealth',
  'signUp',
  'logIn',
  'refreshLogin',
  'logOut',
  'signUpInBrowser',
  'logInInBrowser',
  'refreshInBrowser',
  'logOutInBrowser',
  'createDeviceCode',
  'getDeviceCode',
  'exchangeDeviceCode',
];

const server = await startTestServer();
const document = server.app.swagger() as unknown as ApiDocument;
const operations = toOperations(document);
const { owner } = server;
const reader = await server.addPerson('reader', { role: 'member', workspaceRole: 'reader' });
const contributor = await server.addPerson('contributor', { role: 'member' });
const admin = await server.addPerson('admin', { role: 'admin' });
const otherOwner = await server.addPerson('other-owner', { role: 'owner' });
const outsider = await server.addPerson('outsider');
const closed = operations.filter(({ id }) => !PUBLIC.includes(id));
const isInTenant = ({ access }: DocumentedOperation) =>
  access.level === 'organization' || access.level === 'workspace';
const ofArtifacts = closed.filter(({ access }) => access.level === 'artifact');
/** Operations for platform admins; below an organization such an operation is also for its admins, unless it says otherwise. */
const isPlatformAdmins = ({ access }: DocumentedOperation) =>
  access.platform_admin === 'only' || (access.level === 'user' && access.platform_admin === true);
/** Admins of the organization may only end what runs. */
const isOfRuntimesOwner = ({ path, method, id }: DocumentedOperation) =>
  (path.includes('{runtime}') && (method !== 'get' || /\/(files|ports|tools|workers)\b/.test(path))) ||
  id === 'listSandboxLogs';
const paths = new Map<string, string>();
/** Ids that no list contains. */
const known: Record<string, string> = {};

/** Adds a resource that belongs only to the owner behind every path that takes an id or a name. */
async function seed(): Promise<void> {
  await server.as(owner).post('/user/secrets', { name: 'CANARY', value: 'canary-value' });
  await server.as(owner).post('/org/main/invitations', { email_address: 'canary@example.com' });
  await server.as(owner).put(`/org/main/ws/main/members/${owner.id}`, { role: 'admin' });
  for (const plural of Object.values(PLURALS)) {
    const bundle = makeBundle('canary', '1.0.0');
    expect(await server.as(owner).put(`/org/main/${plural}/canary/1.0.0`, bundle)).toMatchObject({
      status: 201,
    });
  }
  await server.as(owner).put('/org/main/models/canary/aliases/best', { version: '1.0.0' });
  await server.as(owner).post('/org/main/task-sets', { name: 'canary', members: ['canary'] });
  await seedSession();
  await seedRuntime();
  Object.assign(known, await seedEngines(server.as(owner)));
  known.training_job_id = await insertTrainingJobOf(server.db, owner.id);
  const query = "SELECT 'canary' AS canary";
  expect(await server.as(owner).post('/org/main/ws/main/exports', { query })).toMatchObject({ status: 201 });
}

/** Only the owner sees it; other members of the workspace do not. */
async function seedSession(): Promise<void> {
  const sessions = '/org/main/ws/main/sessions';
  const group = await server.as(owner).post(`${sessions}/groups`, { kind: 'workflow', title: 'canary' });
  known.group_id = group.body.id;
  const session = { id: uuidv7(), model: 'canary', title: 'canary', group_id: group.body.id };
  expect(await server.as(owner).post(sessions, session)).toMatchObject({ status: 201 });
  const messages = [{ role: 'user', content: 'canary' }];
  expect(await server.as(owner).post(`${sessions}/${session.id}/transcript`, { messages })).toMatchObject({
    status: 201,
  });
  await seedTrace(session.id);
}

/** The owner operates it, and other members of the workspace see it. */
async function seedRuntime(): Promise<void> {
  const { id: organizationId } = (await server.as(owner).get('/org/main')).body;
  const runtime = await server.as(owner).post('/org/main/ws/main/runtimes', {
    key: 'canary',
    config: { capabilities: [{ name: 'canary' }] },
  });
  expect(runtime).toMatchObject({ status: 201 });
  await addSandbox(server.db, await addHost(server.db), { organizationId, id: runtime.body.id });
}

/** A trace of that session, and so visible only to the owner. */
async function seedTrace(sessionId: string): Promise<void> {
  known.trace_id = 'c'.repeat(32);
  known.span_id = 'a'.repeat(16);
  const attributes = [{ key: 'gen_ai.conversation.id', value: { stringValue: sessionId } }];
  const span = { traceId: known.trace_id, spanId: known.span_id, name: 'canary', attributes };
  const response = await server.as(owner).post('/org/main/otel/traces', spansOf(span));
  expect(response).toMatchObject({ status: 200, body: {} });
}

const spansOf = (span: object) => ({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });

/** Keys of the owner with fewer permissions than the owner. */
const keys = { withoutScope: new Map<string, string>(), otherOrganization: '', otherWorkspace: '' };
/** The content of all tables at the last check. */
let stored: unknown;

beforeAll(async () => {
  await seed();
  for (const operation of closed) paths.set(operation.id, await ownersPath(operation.path));
  await makeKeys();
  stored = await snapshot();
});

/** Creates all of them before the first call, so that no table changes between the calls. */
async function makeKeys(): Promise<void> {
  for (const scope of new Set(closed.map(({ access }) => access.scope ?? ''))) {
    const others = SCOPES.filter((other) => other !== scope);
    keys.withoutScope.set(scope, await ownersKey({ allowed_scopes: others }));
  }
  keys.otherOrganization = await ownersKey({ org_id: await makeOtherOrganizations() });
  const workspace = await server.as(owner).post('/org/main/ws', { name: 'elsewhere' });
  keys.otherWorkspace = await ownersKey({ workspace_id: workspace.body.id });
}

async function ownersKey(limits: object): Promise<string> {
  const request = { name: 'narrow', allow_self_revoke: false, ...limits };
  const principal = { userId: owner.id, isPlatformAdmin: true, apiKey: undefined, loginId: undefined };
  const created = await transaction(server.db, (trx) =>
    insertKey(trx, { principal, requestId: 'test' }, request),
  );
  return created.key;
}

/** @returns the id of the organization that keys are limited to */
function makeOtherOrganizations(): Promise<string> {
  return transaction(server.db, async (trx) => {
    const actor = { userId: owner.id, apiKeyId: null, requestId: null };
    await createOrganization(trx, actor, { name: 'third' });
    return (await createOrganization(trx, actor, { name: 'other' })).organizationId;
  });
}

/** Well-formed values of resources that do not exist, so that nothing is refused for its form. */
const NOTHING: Readonly<Record<string, string>> = {
  version: '1.0.0',
  path: 'none.txt',
  alias: 'none',
  port: '8000',
};

/** The path with ids of the owner's resources, found in the lists above them. */
async function ownersPath(template: string): Promise<string> {
  let path = '';
  for (const segment of template.split('/').slice(1)) {
    const name = /^\{(.+)\}$/.exec(segment)?.[1];
    if (!name) path += `/${segment}`;
    else if (name === 'org' || name === 'workspace') path += '/main';
    else
      path += `/${encodeURIComponent(known[path.includes('/training/') ? `training_${name}` : name] ?? (await findValue(path, name)) ?? NOTHING[name] ?? uuidv7())}`;
  }
  return path + sampleQuery(path);
}

/** Reads the value from the first item of a list, or from a single resource, such as the version of an artifact. */
async function findValue(path: string, name: string): Promise<string | undefined> {
  const { status, body } = await server.as(owner).get(path);
  if (status !== 200) return undefined;
  if (!Array.isArray(body) && typeof body[name] === 'string') return body[name];
  const items = Array.isArray(body) ? body : (Object.values(body).find(Array.isArray) ?? []);
  const [item] = items as Record<string, string>[];
  // The full name of an artifact consists of its organization and its own name.
  return name === 'name' ? item?.[name]?.split('/').at(-1) : (item?.[name] ?? item?.id);
}

async function send(
  { path, method, ...operation }: DocumentedOperation,
  credential: string | undefined,
  body?: unknown,
) {
  const given = body ?? sampleBody(path, method, document);
  return server.as(credential)[method](paths.get(operation.id) ?? path, given);
}

/** Reads every row of every table, except when a key was last used. */
async function snapshot(): Promise<unknown> {
  const tables = await sql<{ name: string }>`
    SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
  `.execute(server.db);
  const parts = tables.rows.map(
    ({ name }) => sql`SELECT ${name} AS name, (SELECT md5(string_agg(row, '|' ORDER BY row)) FROM
      (SELECT (to_jsonb(t) - 'last_used_at')::text AS row FROM ${sql.table(name)} t) rows) AS digest`,
  );
  const { rows } =
    await sql`${sql.join(parts, sql` UNION ALL `)} ORDER BY 1 /* of every organization */`.execute(server.db);
  return rows;
}

async function expectRefused(
  operation: DocumentedOperation,
  credential: string | undefined,
  statuses: number[],
  given?: unknown,
) {
  const { status, body } = await send(operation, credential, given);
  expect(statuses, `${operation.id}: ${JSON.stringify(body)}`).toContain(status);
  expect(body).toMatchObject({ code: status, type: expect.any(String), detail: expect.any(String) });
}

test('the public operations are the listed ones', () => {
  expect(operations.filter(({ access }) => access.level === 'public').map(({ id }) => id)).toEqual(PUBLIC);
});

describe.each(closed)('$id', (operation) => {
  test('refuses a caller without a credential', () => expectRefused(operation, undefined, [401]));

  test('refuses a broken credential', async () => {
    await expectRefused(operation, 'nonsense', [401]);
    await expectRefused(operation, `dd_${'x'.repeat(40)}`, [401]);
    await expectRefused(operation, 'eyJ1c2VyIjoxfQ.AAAA', [401]);
  });

  test('refuses a key without its scope', () =>
    expectRefused(operation, keys.withoutScope.get(operation.access.scope ?? ''), [403]));

  test('gives an outsider nothing of the owner', async () => {
    if (isPlatformAdmins(operation)) await expectRefused(operation, outsider.key, [403]);
    else if (operation.access.level === 'artifact') await expectRefused(operation, outsider.key, [404]);
    else if (operation.path.includes('{')) await expectRefused(operation, outsider.key, [403, 404]);
    else if (operation.method === 'get') {
      const { body } = await send(operation, outsider.key);
      expect(JSON.stringify(body)).not.toMatch(new RegExp(`${owner.id}|${owner.email}|CANARY`));
    }
  });

  if (isPlatformAdmins(operation)) refusesOthersThanPlatformAdmins(operation);
  if (isInTenant(operation)) refusesOtherTenants(operation);
  if (isInTenant(operation) && operation.method !== 'get') refusesReaders(operation);
  if (operation.path.includes('{session_id}')) {
    test("hides a private session from the workspace's other members and from its admins", async () => {
      await expectRefused(operation, contributor.key, [404]);
      await expectRefused(operation, admin.key, [404]);
    });
  }
  if (isOfRuntimesOwner(operation)) {
    test('is only for the owner of the runtime', async () => {
      const given = operation.id === 'execInRuntime' ? { command: 'true' } : undefined;
      await expectRefused(operation, contributor.key, [403], given);
      await expectRefused(operation, admin.key, [403], given);
    });
  }
  if (operation.path.includes('{trace_id}')) {
    test("hides the trace of a private session from the workspace's other members and from its admins", async () => {
      await expectRefused(operation, contributor.key, [404]);
      await expectRefused(operation, admin.key, [404]);
      expect((await send(operation, owner.key)).status).toBe(200);
    });
  }
  if (operation.path.includes('{export_id}')) {
    test("hides an export from the workspace's other members and from its admins", async () => {
      await expectRefused(operation, contributor.key, [404]);
      await expectRefused(operation, admin.key, [404]);
    });
  }

  // Runs last for an operation: it checks what all the callers above have left.
  test('leaves every row of every table as it was', async () => {
    const before = stored;
    stored = await snapshot();
    expect(stored, `${operation.id} changed something for a caller whom it refused`).toEqual(before);
  });
});

function refusesOthersThanPlatformAdmins(operation: DocumentedOperation): void {
  test('refuses the owner of an organization who is not a platform admin', () =>
    expectRefused(operation, otherOwner.key, [403]));

  test("refuses a platform admin's key that is limited to an organization", () =>
    expectRefused(operation, keys.otherOrganization, [403]));
}

function refusesOtherTenants(operation: DocumentedOperation): void {
  test('refuses a key limited to another organization', () =>
    expectRefused(operation, keys.otherOrganization, [403]));

  if (operation.access.organization_wide) {
    test('refuses a key limited to one workspace', () =>
      expectRefused(operation, keys.otherWorkspace, [403]));
  }

  if (operation.access.level === 'workspace') {
    test('refuses a key limited to another workspace', () =>
      expectRefused(operation, keys.otherWorkspace, [403]));
  }
}

function refusesReaders(operation: DocumentedOperation): void {
  const { level, role = '' } = operation.access;
  const ranks: readonly string[] = level === 'workspace' ? WORKSPACE_ROLES : ORG_ROLES;
  const isAboveReader = ranks.indexOf(role) < ranks.length - 1;

  if (operation.id === 'pushTraces') {
    test('refuses every span of a reader and reports it', async () => {
      const body = spansOf({ traceId: 'd'.repeat(32), spanId: 'e'.repeat(16), name: 'sample' });
      const response = await send(operation, reader.key, body);
      expect(response).toMatchObject({ status: 200, body: { partialSuccess: { rejectedSpans: '1' } } });
    });
  } else if (isAboveReader) {
    test('refuses a reader', () => expectRefused(operation, reader.key, [403, 404]));
  } else {
    // Open to every member for their own resources: without input, on the owner's resources, it still fails.
    test('lets a reader change nothing by accident', () =>
      expectRefused(operation, reader.key, [400, 403, 404, 409, 422], {}));
  }
}

describe.each(ofArtifacts)('$id', (operation) => {
  test('returns outsiders the same for private, missing and unreachable resources', async () => {
    const mine = paths.get(operation.id) ?? '';
    for (const credential of [outsider.key, keys.otherOrganization]) {
      // The first of these organizations holds the resource, the second does not, and the third does not exist.
      const responses = [];
      for (const org of ['main', 'third', 'nowhere']) {
        const path = mine.replace('/org/main/', `/org/${org}/`);
        const given = sampleBody(operation.path, operation.method, document);
        const { status, body, headers } = await server.as(credential)[operation.method](path, given);
        responses.push({ status, body, type: headers['content-type'], names: Object.keys(headers) });
      }
      const [first] = responses;
      expect(first).toMatchObject({ status: 404, body: { code: 404 } });
      expect(responses).toEqual([first, first, first]);
    }
  });

  test('serves its owner', async () => {
    expect((await send(operation, owner.key)).status).toBeLessThan(400);
  });
});
