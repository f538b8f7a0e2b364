/** The lineage of a trained model, from the tasks and rows that shaped it, and the contamination that follows from it. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { registerServed } from '../src/inference/service.ts';
import { transaction } from '../src/platform/db/transaction.ts';
import { atEndOfFile } from './end-of-file.ts';
import { W } from './evaluation-world.ts';
import { startModelProvider } from './model-provider.ts';
import { startOptimizationWorld } from './optimization-world.ts';
import { findOrganizationId } from './other-organization.ts';
import {
  endAt,
  newTrainer,
  publishTrainingData,
  START,
  savedAt,
  stepOf,
  trainingTools,
} from './training-world.ts';

const world = await startOptimizationWorld({ environment: { DRYDOCK_ALLOW_PRIVATE_PROVIDERS: '1' } });
const { me, server } = world;
const organizationId = await findOrganizationId(server, 'main');
const training = trainingTools(me);

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly relation: string;
  readonly split: string | null;
  readonly rows: number[] | null;
}

interface Node {
  readonly id: string;
  readonly kind: string;
  readonly name: string | null;
  readonly version: string | null;
}

async function readAncestors(kind: string, name: string, version: string) {
  const nodes: Node[] = [];
  const edges: Edge[] = [];
  for (let cursor = ''; ; ) {
    const query = `kind=${kind}&name=${name}&version=${version}&direction=up&limit=4${cursor && `&cursor=${cursor}`}`;
    const { status, body } = await me.get(`/org/main/lineage?${query}`);
    expect({ status, body }).toMatchObject({ status: 200 });
    nodes.push(...body.nodes);
    edges.push(...body.edges);
    if (body.next_cursor === null) return { root: body.root as Node, nodes, edges };
    cursor = encodeURIComponent(body.next_cursor);
  }
}

const labelOf = ({ kind, id, name, version }: Node) => `${kind} ${name === null ? id : `${name}@${version}`}`;

/** Optimizes the capability `assistant` on rows of `questions`, a fifth of which is held out. */
async function optimize() {
  const id = await world.create();
  expect(await world.jobEnded(id)).toMatchObject({ status: 'completed' });
  const promoted = await me.post(`${W}/optimization/jobs/${id}/promote`, { version: '2.0.0' });
  expect(promoted).toMatchObject({ status: 201 });
  const { rows } = await sql<{ split: string; row_index: number }>`
    SELECT split, row_index FROM optimization_examples
     WHERE organization_id = ${organizationId} AND job_id = ${id} ORDER BY row_index`.execute(server.db);
  const indexesOf = (isHeldOut: boolean) =>
    rows.filter(({ split }) => (split === 'holdout') === isHeldOut).map(({ row_index }) => row_index);
  return { id, used: indexesOf(false), heldOut: indexesOf(true) };
}

/**
 * Evaluates the optimized capability on three tasks.
 * @returns sessions by the name of the task
 */
async function evaluate() {
  for (const name of ['alpha', 'beta', 'gamma'])
    await world.publishTask(name, `echo ${name} > out.txt`, {
      files: { 'verify.sh': `grep -q ${name} out.txt\n` },
    });
  const id = await world.evaluate({
    task_names: ['alpha', 'beta', 'gamma'],
    capability: { name: 'assistant', version: '2.0.0' },
    agent: 'helper',
  });
  expect(await world.ended(id)).toMatchObject({ status: 'completed', passed_count: 3 });
  const items: { task_name: string; session_id: string; contaminated: boolean }[] = await world.listItems(id);
  expect(items.map(({ contaminated }) => contaminated)).toEqual([false, false, false]);
  return { id, sessions: new Map(items.map((item) => [item.task_name, item.session_id])) };
}

async function train(sessionIds: readonly string[], evaluationId: string) {
  await publishTrainingData(me);
  const dataset = { name: 'taught', version: '1.0.0' };
  const made = await me.post(`${W}/datasets/from-sessions`, {
    ...dataset,
    session_ids: sessionIds,
    evaluation_ids: [evaluationId],
    validation_fraction: 0.34,
  });
  expect(made).toMatchObject({ status: 201, body: { splits: { train: 2, validation: 1 } } });
  const id = await training.create({
    name: 'Pupil',
    config: {
      dataset_ref: null,
      trajectory_dataset_refs: [{ ...dataset, split: 'train' }],
      eval_dataset_ref: { name: 'facts', version: '1.0.0' },
    },
  });
  const trainer = await newTrainer(server);
  const job = await trainer.claimJob();
  await trainer.upload(job, 1);
  expect((await trainer.report(job, [START, stepOf(1), savedAt(1), endAt(1)])).status).toBe(200);
  expect(await training.getJob(id)).toMatchObject({ status: 'completed' });
  const held: { session_id: string }[] = (
    await me.get('/org/main/datasets/taught/1.0.0/rows?split=validation&limit=10')
  ).body.rows;
  return { id, held: held[0]?.session_id ?? '' };
}

/** Offers a model under the id of the version, which no machine here could run. */
async function offer(model: string, version: string): Promise<string> {
  const provider = await startModelProvider();
  atEndOfFile(() => provider.close());
  const models = [{ name: `${model}@${version}`, input_price: 0, output_price: 0, max_output_tokens: 100 }];
  const local = {
    name: 'local',
    kind: 'openai_compatible',
    base_url: provider.baseUrl,
    api_key: 'x',
    models,
  };
  expect((await me.put('/org/main/inference/providers', { providers: [local] })).status).toBe(200);
  const { root } = await readAncestors('model', model, version);
  await transaction(server.db, (trx) =>
    registerServed(trx, organizationId, { model, version, version_id: root.id }, server.owner.id),
  );
  return `local/${model}@${version}`;
}

test('getLineage of a trained model names everything that shaped it, and evaluations mark the contamination', async () => {
  const optimized = await optimize();
  const evaluation = await evaluate();
  const nameOf = new Map([...evaluation.sessions].map(([name, session]) => [session, name]));
  const trained = await train([...nameOf.keys()], evaluation.id);
  const { root, nodes, edges } = await readAncestors('model', 'pupil', '1.0.0');

  // Computed from the requests, without the lineage. A session of the validation split is in the dataset but was not trained on.
  const taught = [...nameOf.keys()].filter((id) => id !== trained.held);
  expect(new Set(nodes.map(labelOf))).toEqual(
    new Set([
      `training_job ${trained.id}`,
      'model tiny@1.0.0',
      'capability helper@1.0.0',
      'dataset facts@1.0.0',
      'dataset taught@1.0.0',
      ...[...nameOf.keys()].map((id) => `session ${id}`),
      ...[...nameOf.values()].map((name) => `task ${name}@1.0.0`),
      `evaluation ${evaluation.id}`,
      'capability assistant@2.0.0',
      `optimization_job ${optimized.id}`,
      'capability assistant@1.0.0',
      'dataset questions@1.0.0',
    ]),
  );

  // Walks over the returned edges, through the split that was trained on.
  const byId = new Map([root, ...nodes].map((node) => [node.id, node]));
  const shaped = new Set<string>();
  const enter = (id: string, split: string | null) => {
    for (const edge of edges.filter(({ from }) => from === id)) {
      if (edge.relation === 'measured' || (edge.relation === 'row' && edge.split !== split)) continue;
      const node = byId.get(edge.to);
      if (!node || shaped.has(labelOf(node))) continue;
      shaped.add(labelOf(node));
      enter(edge.to, edge.split);
    }
  };
  enter(root.id, null);
  expect([...shaped].filter((label) => /^(session|task) /.test(label)).toSorted()).toEqual(
    taught.flatMap((id) => [`session ${id}`, `task ${nameOf.get(id)}@1.0.0`]).toSorted(),
  );
  expect(shaped).not.toContain('dataset facts@1.0.0');
  expect(edges.find(({ relation }) => relation === 'train' || relation === 'measured')).toBeDefined();
  const questions = nodes.find(({ name }) => name === 'questions');
  expect(edges.filter(({ to }) => to === questions?.id)).toMatchObject([
    { relation: 'train', split: 'train', rows: optimized.used },
  ]);

  const model = await offer('pupil', '1.0.0');
  const onTasks = await world.evaluate({ model, task_names: ['alpha', 'beta', 'gamma'] });
  const items: { task_name: string; contaminated: boolean; contaminated_by: object | null }[] =
    await world.listItems(onTasks);
  const contaminated = items.filter((item) => item.contaminated);
  expect(contaminated.map(({ task_name }) => task_name).toSorted()).toEqual(
    taught.map((id) => nameOf.get(id) ?? '').toSorted(),
  );
  for (const { contaminated_by } of contaminated)
    expect(contaminated_by).toMatchObject({ kind: 'dataset', name: 'taught', version: '1.0.0' });
  expect(items.find((item) => !item.contaminated)).toMatchObject({ contaminated_by: null });

  const onRows = await world.evaluate({
    model,
    dataset: { name: 'questions', version: '1.0.0', input: 'input' },
    scorers: [{ type: 'contains', value: 'x' }],
  });
  const rows: { row_index: number; contaminated: boolean; contaminated_by: object | null }[] =
    await world.listItems(onRows);
  const indexes = (is: boolean) =>
    rows
      .filter((row) => row.contaminated === is)
      .map(({ row_index }) => row_index)
      .toSorted((a, b) => a - b);
  expect([indexes(true), indexes(false)]).toEqual([optimized.used, optimized.heldOut]);
  expect(optimized.heldOut).toHaveLength(6);
  expect(rows.find((row) => row.contaminated)?.contaminated_by).toEqual({
    kind: 'optimization_job',
    id: optimized.id,
    name: null,
    version: null,
  });
});
