import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Person, startTestServer } from '../../../test/harness.ts';
import { addOrganization } from '../../../test/other-organization.ts';
import { deleteSpans, listStored, pushJson, spansOf } from '../../../test/span-senders.ts';
import { insertKey } from '../../accounts/keys/store.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { AnyValue } from '../otlp/model.ts';

const server = await startTestServer();
const { owner } = server;
const member = await server.addPerson('member', { role: 'member' });
const reader = await server.addPerson('reader', { role: 'member', workspaceRole: 'reader' });
const ids: Record<string, string> = {};

async function addWorkspace(key: string, isRestricted: boolean, projects: readonly string[]): Promise<void> {
  const workspace = { name: key, key, is_restricted: isRestricted };
  ids[key] = (await server.as(owner).post('/org/main/ws', workspace)).body.id;
  for (const project of projects) {
    const created = await server
      .as(owner)
      .post(`/org/main/ws/${key}/projects`, { name: project, key: project });
    ids[`${key}/${project}`] = created.body.id;
  }
}

beforeAll(async () => {
  await addWorkspace('open', false, ['alone', 'both']);
  await addWorkspace('second', false, ['both', 'twice', 'secret']);
  await addWorkspace('third', false, ['twice']);
  await addWorkspace('closed', true, ['secret', 'hidden']);
  await server.as(owner).put(`/org/main/ws/third/members/${reader.id}`, { role: 'reader' });
  const stranger = await server.addPerson('stranger');
  await addOrganization(server, stranger, 'foreign');
  ids.foreign = (await server.as(stranger).get('/org/foreign/ws/main')).body.id;
  ids.main = (await server.as(owner).get('/org/main/ws/main')).body.id;
  const [project] = (await server.as(stranger).get('/org/foreign/ws/main/projects')).body;
  ids['foreign/default'] = project.id;
});

beforeEach(() => deleteSpans(server));

interface Claims {
  readonly workspace?: AnyValue | undefined;
  readonly project?: AnyValue | undefined;
}

/** Replaces a name that begins with `id:` by the id of the entity with this key. */
const toId = (name: AnyValue): AnyValue =>
  typeof name === 'string' && name.startsWith('id:') ? (ids[name.slice(3)] ?? null) : name;

const batchFor = ({ workspace, project }: Claims, count = 2, first = 0) =>
  spansOf(
    count,
    {
      ...(workspace !== undefined && { 'drydock.workspace': toId(workspace) }),
      ...(project !== undefined && { 'drydock.project': toId(project) }),
    },
    first,
  );

async function placeOf(claims: Claims, who: Person | string = member): Promise<string> {
  const { status, body } = await pushJson(server, [batchFor(claims)], { who });
  expect(status).toBe(200);
  const stored = await listStored(server);
  const places = new Set(stored.map(({ workspace, project }) => `${workspace}/${project ?? ''}`));
  expect(stored).toHaveLength(body.partialSuccess ? 0 : 2);
  if (body.partialSuccess) expect(body.partialSuccess.rejectedSpans).toBe('2');
  return body.partialSuccess?.errorMessage ?? [...places].join();
}

const keyFor = async (who: Person, workspace: string): Promise<string> => {
  const principal = { userId: who.id, isPlatformAdmin: false, apiKey: undefined, loginId: undefined };
  const request = { name: 'narrow', allow_self_revoke: false, workspace_id: ids[workspace] };
  const key = await transaction(server.db, (trx) =>
    insertKey(trx, { principal, requestId: 'test' }, request),
  );
  return key.key;
};

describe('placement of spans', () => {
  test.each<[Claims, string]>([
    [{}, 'main/'],
    [{ workspace: 'open' }, 'open/'],
    [{ workspace: 'id:open' }, 'open/'],
    [{ workspace: 'open', project: 'both' }, 'open/both'],
    [{ workspace: 'id:second', project: 'both' }, 'second/both'],
    [{ workspace: 'second', project: 'id:second/both' }, 'second/both'],
    [{ project: 'id:second/both' }, 'second/both'],
    [{ project: 'alone' }, 'open/alone'],
    [{ project: 'default' }, 'main/default'],
    [{ workspace: 'open', project: 'default' }, 'open/default'],
    // A second project with this key, which the caller may not write to, is ignored.
    [{ project: 'secret' }, 'second/secret'],
  ])('spans with %o go to %s', async (claims, place) => {
    expect(await placeOf(claims)).toBe(place);
  });

  test('spans with an uppercase id go to the named project', async () => {
    expect(await placeOf({ workspace: ids.open?.toUpperCase() })).toBe('open/');
  });

  test('spans sent with a key limited to a workspace stay in that workspace', async () => {
    const key = await keyFor(member, 'second');
    expect(await placeOf({}, key)).toBe('second/');
    await deleteSpans(server);
    expect(await placeOf({ project: 'twice' }, key)).toBe('second/twice');
    await deleteSpans(server);
    for (const claims of [{ workspace: 'open' }, { workspace: 'main' }, { project: 'alone' }])
      expect(await placeOf(claims, key)).toMatch(/does not exist/);
  });

  test('spans go to a workspace whose member list lets the caller write', async () => {
    await server.as(owner).put(`/org/main/ws/closed/members/${member.id}`, { role: 'contributor' });
    expect(await placeOf({ project: 'hidden' })).toBe('closed/hidden');
    await server.as(owner).delete(`/org/main/ws/closed/members/${member.id}`);
    await deleteSpans(server);
    expect(await placeOf({ project: 'hidden' })).toMatch(/does not exist/);
  });

  test('spans of one request go to their own places', async () => {
    const batches = [
      batchFor({ workspace: 'open' }, 2, 0),
      batchFor({ workspace: 'nowhere' }, 3, 2),
      batchFor({ project: 'alone' }, 1, 5),
      batchFor({}, 1, 6),
      batchFor({ workspace: 'closed' }, 1, 7),
    ];
    const { body } = await pushJson(server, batches, { who: member });
    expect(body.partialSuccess).toEqual({
      rejectedSpans: '4',
      errorMessage: expect.stringMatching(
        /^3 spans were rejected: .*"nowhere".* 1 span was rejected: .*"closed"/,
      ),
    });
    const stored = (await listStored(server)).map(({ name, workspace, project }) => [
      name,
      workspace,
      project,
    ]);
    expect(stored).toEqual([
      ['span 0', 'open', null],
      ['span 1', 'open', null],
      ['span 5', 'open', 'alone'],
      ['span 6', 'main', null],
    ]);
  });
});

describe('rejection of spans', () => {
  test.each<[string, Claims, RegExp]>([
    [
      'that name an unknown workspace',
      { workspace: 'nowhere' },
      /workspace "nowhere" does not exist, or you may not/,
    ],
    ['that name an empty workspace', { workspace: '' }, /workspace "" does not exist/],
    ['with a workspace that is not a text', { workspace: 7 }, /something else than text/],
    [
      'that name a workspace the caller does not see',
      { workspace: 'closed' },
      /workspace "closed" does not exist, or you may/,
    ],
    ['that name such a workspace by its id', { workspace: 'id:closed' }, /does not exist, or you may/],
    ['that name a workspace of another organization', { workspace: 'id:foreign' }, /does not exist/],
    ['that name a project of another organization', { project: 'id:foreign/default' }, /does not exist/],
    ['that name an unknown project', { project: 'nothing' }, /project "nothing" does not exist/],
    [
      'that name a project of another workspace',
      { workspace: 'open', project: 'twice' },
      /project "twice" does not exist/,
    ],
    [
      'that name such a project by its id',
      { workspace: 'open', project: 'id:second/both' },
      /does not exist/,
    ],
    [
      'that name a project of several workspaces',
      { project: 'twice' },
      /several workspaces have a project "twice"/,
    ],
    ['that name a hidden project', { project: 'hidden' }, /project "hidden" does not exist/],
    ['with a project that is not a text', { project: true }, /something else than text/],
    [
      'that name a known project in an unknown workspace',
      { workspace: 'nowhere', project: 'alone' },
      /"nowhere"/,
    ],
  ])('rejects spans %s', async (_what, claims, message) => {
    expect(await placeOf(claims)).toMatch(message);
  });

  test('rejects spans of a caller who may only read, for the default and for a named workspace', async () => {
    expect(await placeOf({}, reader)).toMatch(/default workspace/);
    expect(await placeOf({ workspace: 'main' }, reader)).toMatch(
      /"main" does not exist, or you may not write/,
    );
    expect(await placeOf({ workspace: 'third' }, reader)).toMatch(/"third"/);
    expect(await placeOf({ workspace: 'open' }, reader)).toBe('open/');
  });

  test('rejects spans with a message of bounded length', async () => {
    const batches = Array.from({ length: 300 }, (_, at) =>
      batchFor({ workspace: `${'x'.repeat(5_000)}${at}` }, 1, at),
    );
    const { body } = await pushJson(server, batches, { who: member });
    expect(body.partialSuccess.rejectedSpans).toBe('300');
    expect(body.partialSuccess.errorMessage.length).toBeLessThan(1_000);
    const unknown = Array.from({ length: 300 }, (_, at) => batchFor({ workspace: `none-${at}` }, 1, at));
    const response = await pushJson(server, unknown, { who: member });
    expect(response.body.partialSuccess.rejectedSpans).toBe('300');
    expect(response.body.partialSuccess.errorMessage).toMatch(/297 spans were rejected: other reasons/);
  });

  test('rejects spans from the first request after the caller was removed', async () => {
    const leaver = await server.addPerson('leaver', { role: 'member', workspaceRole: 'contributor' });
    expect(await placeOf({}, leaver)).toBe('main/');
    await server.as(owner).put(`/org/main/ws/main/members/${leaver.id}`, { role: 'reader' });
    await deleteSpans(server);
    expect(await placeOf({}, leaver)).toMatch(/default workspace/);
  });
});
