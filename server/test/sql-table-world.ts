/** Fills every table that SQL queries may read: with rows of several people, workspaces and organizations, and with deleted ones. */
import { expect } from 'vitest';
import { Random } from '../fuzz/random.ts';
import { MeteredCalls } from '../src/inference/metering/metered-calls.ts';
import { createLog } from '../src/platform/log.ts';
import { uuidv7 } from '../src/platform/uuid.ts';
import { insertAssessmentRows } from './airt-rows.ts';
import { insertArtifact } from './artifact-rows.ts';
import { insertEvaluation } from './evaluation-rows.ts';
import type { Person, TestServer } from './harness.ts';
import { begunCall, callEnd, offeredModel, randomHex, spansOf } from './metered-calls.ts';
import { insertOptimizationJob } from './optimization-rows.ts';
import { addHost, addSandbox } from './sandbox-rows.ts';
import { WorldMaker } from './session-world.ts';
import { TraceWorldMaker } from './trace-world.ts';
import { insertTrainingJob } from './training-rows.ts';
import { assistant, saveSession, user } from './transcripts.ts';

const W = '/org/main/ws/main';

/** Values that only some callers may read. */
export const CANARIES = {
  ben: 'canary-private-of-ben',
  side: 'canary-of-side',
  other: 'canary-of-other',
  environment: 'canary-in-environment',
  deleted: 'canary-deleted',
};

interface People {
  readonly owner: Person;
  readonly ana: Person;
  readonly ben: Person;
  readonly ada: Person;
}

interface Organizations {
  readonly organizationId: string;
  readonly otherId: string;
}

/** Requires workspaces `main` and `side` of organization `main`, and organization `other`. */
export async function fillWorld(
  server: TestServer,
  people: People,
  organizations: Organizations,
): Promise<void> {
  const { owner, ana, ben } = people;
  await new WorldMaker(server, [owner, ana, ben], new Random('sql', 'sessions')).make(40);
  await new TraceWorldMaker(server, [owner, ana, ben], new Random('sql', 'traces')).make(60);
  await addTranscripts(server, people);
  await addRuntimes(server, people, organizations);
  await addUsage(server, people, organizations);
  await addArtifacts(server, people, organizations);
  await addEvaluations(server);
  await addOptimizationJobs(server);
  await addCanaries(server, people);
}

async function ok(response: Promise<{ status: number; body: unknown }>): Promise<void> {
  const { status, body } = await response;
  expect([200, 201, 204], JSON.stringify(body)).toContain(status);
}

/** Adds messages by Ben in private, in another workspace and in another organization; and in a session that is deleted. */
async function addCanaries(server: TestServer, { owner, ben }: People): Promise<void> {
  const places: readonly (readonly [Person, string, string])[] = [
    [ben, W, CANARIES.ben],
    [ben, '/org/main/ws/side', CANARIES.side],
    [owner, '/org/other/ws/main', CANARIES.other],
    [ben, W, CANARIES.deleted],
  ];
  for (const [person, place, text] of places) {
    const client = server.as(person);
    const id = uuidv7();
    const visibility = text === CANARIES.ben ? 'private' : 'workspace';
    await ok(
      client.post(`${place}/sessions`, { id, model: text, title: text, visibility, labels: { key: [text] } }),
    );
    await ok(client.post(`${place}/sessions/${id}/transcript`, { messages: [user(text), assistant(text)] }));
    const [, , org, , workspace = ''] = place.split('/');
    await ok(client.post(`/org/${org}/otel/traces`, traceOf(text, workspace, id)));
    if (text === CANARIES.deleted) await ok(client.delete(`${place}/sessions/${id}`));
  }
}

const traceOf = (name: string, workspace: string, sessionId: string) => ({
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'drydock.workspace', value: { stringValue: workspace } }] },
      scopeSpans: [
        {
          spans: [
            {
              traceId: randomHex(16),
              spanId: randomHex(8),
              name,
              startTimeUnixNano: `${Date.now()}000000`,
              attributes: [{ key: 'session.id', value: { stringValue: sessionId } }],
            },
          ],
        },
      ],
    },
  ],
});

/** Adds transcripts with eras, costs, tool calls and odd content. */
async function addTranscripts(server: TestServer, { ana, ben }: People): Promise<void> {
  for (const person of [ana, ben]) {
    for (const visibility of ['private', 'workspace']) {
      const session = await saveSession(server.as(person), { visibility });
      const usage = { input_tokens: 5, output_tokens: 7, cache_read_input_tokens: 3, cost_usd: 0.1 };
      await ok(
        session.append([
          user('a "quoted", text\nof two lines'),
          assistant('', { usage, tool_calls: [{ id: 'c', name: 'run', arguments: '{"a": 1.50}' }] }),
          {
            role: 'tool',
            content: '\\N',
            tool_call_id: 'c',
            metadata: { deep: [1, null, { a: '\u{1F680}' }] },
          },
          assistant('done', { usage: { ...usage, cost_usd: 0.2 } }),
        ]),
      );
      await ok(session.compact(2));
      await ok(session.append([assistant('more', { usage: { input_tokens: 1, output_tokens: 1 } })]));
      await ok(session.compact(5));
      await ok(session.append([user('last')]));
    }
  }
}

async function addRuntimes(
  server: TestServer,
  { owner, ana, ben }: People,
  { organizationId }: Organizations,
): Promise<void> {
  const { db } = server;
  const hostId = await addHost(db);
  const project = (await server.as(owner).post(`${W}/projects`, { name: 'Lab' })).body;
  for (const [index, person] of [ana, ben, ana].entries()) {
    const config = {
      runtime_server: { env: { TOKEN: CANARIES.environment } },
      metadata: { labels: { team: 'red' } },
    };
    const body = { key: `r${index}`, config, ...(index > 0 && { project: project.key }) };
    const made = await server.as(person).post(`${W}/runtimes`, body);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const state = (['killed', 'paused', undefined] as const)[index];
    if (state) await addSandbox(db, hostId, { id: made.body.id, organizationId }, { state, endedMs: 12_345 });
  }
  await ok(server.as(ben).post('/org/main/ws/side/runtimes', { key: CANARIES.side }));
}

async function addUsage(
  server: TestServer,
  { owner, ana, ben, ada }: People,
  { organizationId, otherId }: Organizations,
): Promise<void> {
  const { db } = server;
  const book = new MeteredCalls({ db, credits: 'unlimited', log: createLog('fatal') });
  const model = offeredModel('test/priced', { input_price: 0.1, output_price: 2 });
  const [own, bens] = [await saveSession(server.as(ana)), await saveSession(server.as(ben))];
  for (const person of [owner, ana, ben, ada]) {
    for (const sessionId of [null, own.id, bens.id]) {
      const links = { sessionId, traceId: randomHex(16), spanId: randomHex(8) };
      const call = begunCall({ organizationId, userId: person.id, model, links });
      await book.end(call, callEnd(3, 1));
      const span = {
        startUs: BigInt(Date.now()) * 1_000n,
        model: 'span-model',
        inputTokens: 10,
        costUsd: 0.3,
      };
      const reported = { ...span, traceId: links.traceId, spanId: links.spanId };
      const other = { ...span, traceId: randomHex(16), spanId: randomHex(8) };
      await ok(server.as(person).post('/org/main/otel/traces', spansOf([reported, other])));
    }
  }
  await book.end(
    begunCall({ organizationId: otherId, userId: ana.id, model: offeredModel('canary/of-other') }),
    callEnd(9, 9),
  );
  await book.drain();
}

async function addArtifacts(
  server: TestServer,
  { owner, ana, ben }: People,
  { organizationId, otherId }: Organizations,
): Promise<void> {
  const { db } = server;
  const rows = { createdBy: ana.id, versions: [{ version: '1.0.0' }] };
  for (const kind of ['dataset', 'model'] as const) {
    for (const isPublic of [false, true]) {
      await insertArtifact(db, {
        organizationId,
        createdBy: ben.id,
        kind,
        name: `${kind}-${isPublic}`,
        isPublic,
        versions: [
          { version: '1.0.0' },
          {
            version: '1.1.0-rc.1',
            listing: { tags: ['early'] },
          },
          {
            version: '1.0.1',
            listing: { summary: 'a "b", c', tags: ['x', 'y,"z"'], license: 'mit', task_categories: ['qa'] },
            details: { row_count: 12 },
            manifest: { language: ['en', 'de'], origin: { deep: [1, 'ü'] }, architecture: 'moe' },
            file_size_bytes: 2 ** 40,
          },
        ],
      });
    }
    await insertArtifact(db, {
      ...rows,
      organizationId: otherId,
      kind,
      name: 'canary-of-other',
      isPublic: true,
    });
    await insertArtifact(db, {
      ...rows,
      organizationId,
      kind,
      name: 'canary-deleted',
      versions: [{ version: '1.0.0', isDeleted: true }],
    });
  }
  for (const org of ['main', 'other']) {
    const name = org === 'main' ? 'basics' : 'canary-of-other';
    const members = ['one@1.0.0', { task_name: 'two', notes: 'a "b"' }];
    await ok(server.as(owner).post(`/org/${org}/task-sets`, { name, members, tags: ['t'], is_public: true }));
  }
}

/** Adds two in workspace `main`, one of them in a project, and one in every other workspace. */
async function addEvaluations({ db }: TestServer): Promise<void> {
  const workspaces = await db
    .selectFrom('workspaces as w')
    .innerJoin('organizations as o', 'o.id', 'w.organization_id')
    .select(['w.organization_id', 'w.id', 'w.key', 'o.key as organization'])
    .execute();
  for (const { organization_id: organizationId, id: workspaceId, key, organization } of workspaces) {
    const isMain = organization === 'main' && key === 'main';
    const canary = organization === 'main' ? CANARIES.side : CANARIES.other;
    const text = isMain ? 'a "quoted", text\nof two lines' : canary;
    const scores = {
      exact: { value: 0.5, passed: true, explanation: text, error: null },
      judge: { value: null, passed: null, explanation: null, error: text },
    };
    const items = [
      {
        task: 'one',
        source: 0,
        score: 0.5,
        scores,
        stopReason: 'finished',
        durationMs: 1_200,
        inputTokens: 7,
      },
      { task: 'one', source: 0, sample: 2, status: 'failed', error: text },
      { source: 1, status: 'infra_error' },
    ];
    for (const name of isMain ? ['first', 'second'] : [canary])
      await insertEvaluation(db, { organizationId, workspaceId }, { name, items, costUsd: 0.25 });
  }
  await db
    .updateTable('evaluations as e')
    .from('projects as p')
    .set((eb) => ({ project_id: eb.ref('p.id') }))
    .whereRef('p.organization_id', '=', 'e.organization_id')
    .whereRef('p.workspace_id', '=', 'e.workspace_id')
    .where('p.key', '=', 'lab')
    .where('e.name', '=', 'second')
    .execute();
}

/** Adds two jobs in `main`, one of them in the project `lab`, and one with a canary in every other workspace. */
async function addOptimizationJobs({ db }: TestServer): Promise<void> {
  const workspaces = await db
    .selectFrom('workspaces as w')
    .innerJoin('organizations as o', 'o.id', 'w.organization_id')
    .leftJoin('projects as p', (join) =>
      join
        .onRef('p.organization_id', '=', 'w.organization_id')
        .onRef('p.workspace_id', '=', 'w.id')
        .on('p.key', '=', 'lab'),
    )
    .select(['w.organization_id', 'w.id', 'w.key', 'w.created_by', 'p.id as lab', 'o.key as organization'])
    .execute();
  for (const { organization_id: organizationId, id: workspaceId, key, organization, ...more } of workspaces) {
    const place = { organizationId, workspaceId, createdBy: more.created_by };
    if (organization === 'main' && key === 'main') {
      await insertOptimizationJob(db, place, { text: 'a "quoted", text\nof two lines', projectId: null });
      await insertTrainingJob(db, place, { text: 'a "quoted", text\nof two lines', projectId: null });
      await insertOptimizationJob(db, place, { text: 'second', projectId: more.lab });
      await insertTrainingJob(db, place, { text: 'second', projectId: more.lab });
      // A finding of a deleted project is shown without its project.
      await insertAssessmentRows(db, place, { text: 'a "quoted", text\nof two lines', projectId: uuidv7() });
      if (more.lab) await insertAssessmentRows(db, place, { text: 'second', projectId: more.lab });
    } else {
      const text = organization === 'main' ? CANARIES.side : CANARIES.other;
      await insertOptimizationJob(db, place, { text, projectId: null });
      await insertTrainingJob(db, place, { text, projectId: null });
      await insertAssessmentRows(db, place, { text, projectId: uuidv7() });
    }
  }
}
