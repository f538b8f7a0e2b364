/** Lineage as callers see it: pages, cycles, and what is hidden from whom. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { bundle } from '../../test/bundles.ts';
import { type Client, type Person, startTestServer } from '../../test/harness.ts';
import { addOrganization, findOrganizationId } from '../../test/other-organization.ts';
import { transaction } from '../platform/db/transaction.ts';
import {
  type LineageNode,
  type LineageRelation,
  recordLineage,
  toArtifactNode,
  toWorkspaceNode,
} from '../platform/lineage/lineage.ts';
import { uuidv7 } from '../platform/uuid.ts';

const server = await startTestServer();
const { db, owner } = server;
const me = server.as(owner);
const organizationId = await findOrganizationId(server, 'main');
const W = '/org/main/ws/main';
const { id: workspaceId } = (await me.get(W)).body;

const newNode = (kind: 'evaluation' | 'training_job' = 'evaluation', of: string = workspaceId) =>
  toWorkspaceNode(kind, { workspaceId: of, id: uuidv7() });

const record = (child: LineageNode, parents: readonly LineageNode[], relation: LineageRelation = 'run') =>
  transaction(db, (trx) =>
    recordLineage(trx, organizationId, [
      { node: child, parents: parents.map((node) => ({ node, relation })) },
    ]),
  );

async function addSession(client: Client, place = W, visibility = 'workspace'): Promise<LineageNode> {
  const id = uuidv7();
  expect(await client.post(`${place}/sessions`, { id, model: 'sim/echo', visibility })).toMatchObject({
    status: 201,
  });
  const { rows } = await sql<{ workspace_id: string }>`
    SELECT workspace_id FROM sessions WHERE organization_id = ${organizationId} AND id = ${id}`.execute(db);
  return toWorkspaceNode('session', { workspaceId: rows[0]?.workspace_id ?? '', id });
}

const lineageOf = async ({ id }: LineageNode, query = '', client = me) =>
  (await client.get(`${W}/sessions/${id}/lineage?${query}`)).body;

const idsOf = (body: { nodes: { id: string }[] }) => body.nodes.map(({ id }) => id);

async function readPages(root: LineageNode, query: string) {
  const nodes: { id: string; distance: number }[] = [];
  const edges: { from: string; to: string }[] = [];
  for (let cursor = ''; ; ) {
    const page = await lineageOf(root, `${query}${cursor && `&cursor=${cursor}`}`);
    expect(page.has_more).toBe(page.next_cursor !== null);
    nodes.push(...page.nodes);
    edges.push(...page.edges);
    if (!page.has_more) return { nodes, edges };
    cursor = encodeURIComponent(page.next_cursor);
  }
}

async function publishDataset(client: Client, org: string, name: string): Promise<LineageNode> {
  const files = { 'dataset.yaml': 'summary: x\n', 'train.jsonl': '{"a":1}\n' };
  expect(await client.put(`/org/${org}/datasets/${name}/1.0.0`, bundle(files))).toMatchObject({
    status: 201,
  });
  const { rows } = await sql<{ owner_id: string; id: string }>`
    SELECT v.organization_id AS owner_id, v.id FROM artifact_versions AS v /* of every organization */
      JOIN artifacts AS a ON a.organization_id = v.organization_id AND a.id = v.artifact_id
     WHERE a.name = ${name}`.execute(db);
  const { owner_id: ownerId = '', id: versionId = '' } = rows[0] ?? {};
  const shown = org === 'main' ? name : `${org}/${name}`;
  return toArtifactNode(organizationId, 'dataset', { ownerId, versionId, name: shown, version: '1.0.0' });
}

test('getSessionLineage returns nodes by distance, up and down, with the edges between them', async () => {
  const session = await addSession(me);
  const dataset = await publishDataset(me, 'main', 'made');
  const [evaluation, job] = [newNode(), newNode('training_job')];
  await record(session, [evaluation]);
  const edge = { node: session, relation: 'row' as const, split: 'train', rows: [3] };
  await transaction(db, (trx) => recordLineage(trx, organizationId, [{ node: dataset, parents: [edge] }]));
  await record(job, [dataset], 'train');
  const body = await lineageOf(session);
  expect(body).toMatchObject({
    root: { id: session.id, kind: 'session', workspace: 'main', name: null },
    nodes: [
      { id: evaluation.id, kind: 'evaluation', distance: -1, workspace: 'main', name: null, version: null },
      { id: dataset.id, kind: 'dataset', distance: 1, workspace: null, name: 'made', version: '1.0.0' },
      { id: job.id, kind: 'training_job', distance: 2 },
    ],
    has_more: false,
    next_cursor: null,
  });
  expect(body.edges.toSorted((a: { to: string }, b: { to: string }) => (a.to < b.to ? -1 : 1))).toEqual(
    [
      { from: session.id, to: evaluation.id, relation: 'run', split: null, rows: null },
      { from: dataset.id, to: session.id, relation: 'row', split: 'train', rows: [3] },
      { from: job.id, to: dataset.id, relation: 'train', split: null, rows: null },
    ].toSorted((a, b) => (a.to < b.to ? -1 : 1)),
  );
  expect(idsOf(await lineageOf(session, 'direction=up'))).toEqual([evaluation.id]);
  expect(idsOf(await lineageOf(session, 'direction=down'))).toEqual([dataset.id, job.id]);
  const { body: upward } = await me.get(
    '/org/main/lineage?kind=dataset&name=main/made&version=1.0.0&direction=up',
  );
  expect(upward).toMatchObject({
    root: { id: dataset.id, kind: 'dataset', name: 'made', version: '1.0.0' },
    nodes: [
      { id: session.id, distance: -1 },
      { id: evaluation.id, distance: -2 },
    ],
  });
});

test('getLineage returns 404 for an unknown artifact or version, and 422 for a version that is not exact', async () => {
  await publishDataset(me, 'main', 'lonely');
  const ask = async (query: string) => (await me.get(`/org/main/lineage?${query}`)).status;
  expect(await ask('kind=dataset&name=lonely&version=1.0.0')).toBe(200);
  expect(await ask('kind=dataset&name=lonely&version=2.0.0')).toBe(404);
  expect(await ask('kind=model&name=lonely&version=1.0.0')).toBe(404);
  expect(await ask('kind=dataset&name=nobody&version=1.0.0')).toBe(404);
  expect(await ask('kind=dataset&name=lonely&version=latest')).toBe(422);
  expect(await ask('kind=session&name=lonely&version=1.0.0')).toBe(422);
  expect(await ask('kind=dataset&name=lonely')).toBe(422);
  expect((await me.get(`${W}/sessions/${uuidv7()}/lineage`)).status).toBe(404);
});

test('getSessionLineage ends in a cycle, and returns each node of it once', async () => {
  const session = await addSession(me);
  const [a, b, c] = [newNode(), newNode(), newNode()];
  await record(session, [a]);
  await record(a, [b]);
  await record(b, [c, session]);
  await record(c, [a, c]);
  for (const limit of [1, 2, 100]) {
    const { nodes, edges } = await readPages(session, `limit=${limit}`);
    expect(nodes.map(({ id }) => id).toSorted()).toEqual([a.id, b.id, c.id].toSorted());
    expect(nodes.find(({ id }) => id === a.id)?.distance).toBe(-1);
    expect(nodes.find(({ id }) => id === b.id)?.distance).toBe(1);
    expect(edges).toHaveLength(6);
  }
});

test('getSessionLineage pages hold every node and edge of a wide and deep graph once, in order', async () => {
  const session = await addSession(me);
  const levels = [3, 7, 1, 12, 250, 5].map((count) => Array.from({ length: count }, () => newNode()));
  let below: readonly LineageNode[] = [session];
  for (const level of levels) {
    for (const [index, node] of below.entries())
      await record(
        node,
        level.filter((_, place) => place % below.length === index % level.length || place === 0),
      );
    below = level;
  }
  await record(newNode('training_job'), [session]);
  const whole = await readPages(session, 'limit=500');
  for (const limit of [3, 17, 100]) {
    const { nodes, edges } = await readPages(session, `limit=${limit}`);
    expect(nodes).toEqual(whole.nodes);
    const keysOf = (list: typeof edges) => list.map(({ from, to }) => `${from} ${to}`).toSorted();
    expect(keysOf(edges)).toEqual(keysOf(whole.edges));
  }
  const distances = whole.nodes.map(({ distance }) => Math.abs(distance));
  expect(distances).toEqual(distances.toSorted((a, b) => a - b));
  expect(new Set(whole.nodes.map(({ id }) => id)).size).toBe(whole.nodes.length);
  const other = await addSession(me);
  const { next_cursor } = await lineageOf(session, 'limit=1');
  const { status } = await me.get(
    `${W}/sessions/${other.id}/lineage?limit=1&cursor=${encodeURIComponent(next_cursor)}`,
  );
  expect(status).toBe(422);
});

test('getSessionLineage returns the nearest page of 10,000 ancestors, direct and in a chain', async () => {
  const nodes = Array.from({ length: 10_000 }, () => newNode());
  const ids = nodes.map(({ id }) => id).toSorted();
  const direct = await addSession(me);
  await record(direct, nodes);
  const first = await lineageOf(direct, 'limit=100');
  expect(idsOf(first)).toEqual(ids.slice(0, 100));
  expect(first.edges).toHaveLength(100);
  const second = await lineageOf(direct, `limit=100&cursor=${encodeURIComponent(first.next_cursor)}`);
  expect(idsOf(second)).toEqual(ids.slice(100, 200));
  const chained = await addSession(me);
  const chain = [chained, ...Array.from({ length: 10_000 }, () => newNode())];
  await transaction(db, (trx) =>
    recordLineage(
      trx,
      organizationId,
      chain.slice(1).map((node, index) => ({
        node: chain[index] as LineageNode,
        parents: [{ node, relation: 'run' as const }],
      })),
    ),
  );
  const page = await lineageOf(chained, 'limit=100');
  expect(idsOf(page)).toEqual(chain.slice(1, 101).map(({ id }) => id));
  expect(page.nodes.at(-1).distance).toBe(-100);
});

/** A member who is not listed in the restricted workspace. */
async function addReader(name: string): Promise<Person> {
  return server.addPerson(name, { role: 'member' });
}

test('getSessionLineage leaves out what a caller may not see, with what can be reached through it alone', async () => {
  expect(await me.post('/org/main/ws', { name: 'closed', key: 'closed', is_restricted: true })).toMatchObject(
    {
      status: 201,
    },
  );
  const { id: closedId } = (await me.get('/org/main/ws/closed')).body;
  const reader = server.as(await addReader('reader'));
  const session = await addSession(me);
  const hiddenJob = newNode('training_job', closedId);
  const closedSession = await addSession(me, '/org/main/ws/closed');
  const privateSession = await addSession(me, W, 'private');
  const deleted = await addSession(me);
  const seen = newNode();
  const behind = newNode();
  const both = newNode();
  const own = await addSession(reader, W, 'private');
  await record(session, [hiddenJob, closedSession, privateSession, deleted, seen, own]);
  for (const node of [hiddenJob, closedSession, privateSession, deleted]) await record(node, [behind, both]);
  await record(seen, [both]);
  await record(own, [both]);
  expect((await me.delete(`${W}/sessions/${deleted.id}`)).status).toBe(204);
  const body = await lineageOf(session, '', reader);
  expect(new Set(idsOf(body))).toEqual(new Set([seen.id, own.id, both.id]));
  const text = JSON.stringify(body);
  for (const node of [hiddenJob, closedSession, privateSession, deleted, behind])
    expect(text).not.toContain(node.id);
  expect(body.edges).toHaveLength(4);
  // A page that the visible nodes fill has no next one, although hidden nodes are left.
  expect(await lineageOf(session, 'limit=3', reader)).toMatchObject({ has_more: false, next_cursor: null });
  expect((await reader.get(`${W}/sessions/${privateSession.id}/lineage`)).status).toBe(404);
  expect(new Set(idsOf(await lineageOf(session)))).toEqual(
    new Set([hiddenJob, closedSession, privateSession, seen, behind, both].map(({ id }) => id)),
  );
});

test('getLineage shows artifacts of another organization while they are public, and nothing that it made', async () => {
  const stranger = await server.addPerson('stranger');
  await addOrganization(server, stranger, 'other');
  const otherId = await findOrganizationId(server, 'other');
  const them = server.as(stranger);
  const shared = await publishDataset(them, 'other', 'shared');
  const session = await addSession(me);
  await record(session, [shared], 'dataset');
  const theirs = toWorkspaceNode('training_job', { workspaceId: uuidv7(), id: uuidv7() });
  await transaction(db, (trx) =>
    recordLineage(trx, otherId, [
      { node: theirs, parents: [{ node: { ...shared, ownerId: null }, relation: 'train' }] },
    ]),
  );
  const query = '/org/main/lineage?kind=dataset&name=other/shared&version=1.0.0';
  expect(idsOf(await lineageOf(session))).toEqual([]);
  expect((await me.get(query)).status).toBe(404);
  const visible = { is_public: true };
  expect((await them.patch('/org/other/datasets/shared/visibility', visible)).status).toBe(200);
  expect(await lineageOf(session)).toMatchObject({
    nodes: [{ id: shared.id, name: 'other/shared', distance: -1 }],
  });
  const { body } = await me.get(query);
  expect(body).toMatchObject({
    root: { id: shared.id, name: 'other/shared' },
    nodes: [{ id: session.id, distance: 1 }],
  });
  expect((await them.get('/org/main/lineage?kind=dataset&name=made&version=1.0.0')).status).toBe(403);
});

test('deleteWorkspace removes the nodes and edges of the workspace, and keeps artifacts', async () => {
  expect(await me.post('/org/main/ws', { name: 'brief', key: 'brief' })).toMatchObject({ status: 201 });
  const dataset = await publishDataset(me, 'main', 'outlives');
  const session = await addSession(me, '/org/main/ws/brief');
  await record(dataset, [session], 'row');
  await record(session, [newNode()]);
  expect((await me.delete('/org/main/ws/brief')).status).toBe(204);
  const { body } = await me.get('/org/main/lineage?kind=dataset&name=outlives&version=1.0.0');
  expect(body).toMatchObject({ nodes: [], edges: [] });
  const { rows } = await sql`
    SELECT FROM lineage_edges WHERE organization_id = ${organizationId} AND ${session.id}::uuid IN (child_id, parent_id)`.execute(
    db,
  );
  expect(rows).toEqual([]);
});
