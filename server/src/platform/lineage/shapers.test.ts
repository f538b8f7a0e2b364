/** Compares findShapers in random worlds with a plain walk over the test's own model of them. */
import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { findOrganizationId } from '../../../test/other-organization.ts';
import { transaction } from '../db/transaction.ts';
import { PythonRandom } from '../random/python-random.ts';
import { uuidv7 } from '../uuid.ts';
import {
  type LineageChild,
  type LineageNode,
  type LineageParent,
  recordLineage,
  toArtifactNode,
  toWorkspaceNode,
} from './lineage.ts';
import { findShapers } from './shapers.ts';

const { db, ...server } = await startTestServer();
const organizationId = await findOrganizationId({ db, ...server }, 'main');
const workspaceId = uuidv7();

interface Task {
  readonly kind: 'task';
  readonly node: LineageNode;
}

interface Dataset {
  readonly kind: 'dataset';
  readonly node: LineageNode;
  /** Each row is a session, or null where the dataset was published by a person. */
  readonly splits: Readonly<Record<string, readonly (Session | null)[]>>;
}

interface RowsOf {
  readonly dataset: Dataset;
  readonly split: string;
  readonly rows: readonly number[];
}

interface Session {
  readonly kind: 'session';
  readonly node: LineageNode;
  readonly ranOn: Task | RowsOf;
  readonly with: readonly Version[];
  readonly run: Job | null;
}

interface Version {
  readonly kind: 'version';
  readonly node: LineageNode;
  /** Set later when a cycle is made. */
  madeBy: Job | null;
}

interface Job {
  readonly kind: 'job';
  readonly node: LineageNode;
  readonly from: readonly Version[];
  readonly tasks: readonly Task[];
  readonly rows: readonly RowsOf[];
  /** Held out or measured: not a shaper. */
  readonly measured: readonly (Task | RowsOf)[];
  readonly before: Job | null;
}

const SPLITS = ['train', 'validation'] as const;

class World {
  readonly #random: PythonRandom;
  readonly tasks: Task[] = [];
  readonly datasets: Dataset[] = [];
  readonly sessions: Session[] = [];
  readonly versions: Version[] = [];
  readonly jobs: Job[] = [];
  readonly children: LineageChild[] = [];

  constructor(seed: number) {
    this.#random = new PythonRandom(BigInt(seed));
    for (let index = 0; index < 6; index++) this.tasks.push({ kind: 'task', node: this.#artifact('task') });
    for (let index = 0; index < 2; index++) {
      const splits = { train: Array(6).fill(null), validation: Array(3).fill(null) };
      this.datasets.push({ kind: 'dataset', node: this.#artifact('dataset'), splits });
    }
    for (const kind of ['capability', 'model'] as const) this.#addVersion(kind, null);
    for (let step = 0; step < 35; step++) this.#step();
    // The product cannot make a cycle, but the query must still end on one.
    const [first] = this.versions;
    const last = this.jobs.at(-1);
    if (first && last && this.#below(2) === 0) {
      first.madeBy = last;
      this.#record(first.node, [{ node: last.node, relation: 'promoted' }]);
    }
  }

  #below = (count: number) => Math.floor(this.#random.random() * count);
  #pick = <T>(list: readonly T[]): T => list[this.#below(list.length)] as T;
  #some = <T>(list: readonly T[]): T[] => list.filter(() => this.#below(2) === 0);
  #record = (node: LineageNode, parents: readonly LineageParent[]) => this.children.push({ node, parents });

  #artifact(kind: 'task' | 'dataset' | 'capability' | 'model'): LineageNode {
    const versionId = uuidv7();
    return toArtifactNode(organizationId, kind, {
      ownerId: organizationId,
      versionId,
      name: `x${versionId}`,
      version: '1.0.0',
    });
  }

  #rows(): RowsOf {
    const dataset = this.#pick(this.datasets);
    const split = this.#pick(Object.keys(dataset.splits));
    const all = (dataset.splits[split] ?? []).map((_, row) => row);
    return { dataset, split, rows: this.#some(all) };
  }

  #step(): void {
    const steps = [
      () => this.#addSession(),
      () => this.#addDataset(),
      () => this.#addJob(),
      () => this.#publish(),
      () => this.#addRegressionTask(),
      () => this.#addCheck(),
    ];
    this.#pick([...steps, () => this.#addSession()])();
  }

  #addSession(): void {
    const { dataset, split } = this.#rows();
    const row = this.#below((dataset.splits[split] ?? []).length);
    const isTask = this.#below(2) === 0;
    const ranOn = isTask ? this.#pick(this.tasks) : { dataset, split, rows: [row] };
    const session: Session = {
      kind: 'session',
      node: toWorkspaceNode('session', { workspaceId, id: uuidv7() }),
      ranOn,
      with: this.#below(2) === 0 ? [this.#pick(this.versions)] : [],
      run: this.jobs.length > 0 && this.#below(4) === 0 ? this.#pick(this.jobs) : null,
    };
    this.sessions.push(session);
    this.#record(session.node, [
      ...toParents([ranOn], 'dataset', 'task'),
      ...session.with.map(({ node }) => ({ node, relation: 'capability' as const })),
      ...(session.run ? [{ node: session.run.node, relation: 'run' as const }] : []),
    ]);
  }

  #addDataset(): void {
    const chosen = this.#some(this.sessions);
    if (chosen.length === 0) return;
    const splits = Object.groupBy(chosen, () => this.#pick(SPLITS)) as Record<string, Session[]>;
    const node = this.#artifact('dataset');
    this.datasets.push({ kind: 'dataset', node, splits });
    const parents = Object.entries(splits).flatMap(([split, sessions]) =>
      sessions.map((session, row) => ({ node: session.node, relation: 'row' as const, split, rows: [row] })),
    );
    this.#record(node, parents);
  }

  #addJob(): void {
    const isTraining = this.#below(2) === 0;
    const before = this.jobs.length > 0 && this.#below(4) === 0 ? this.#pick(this.jobs) : null;
    const job: Job = {
      kind: 'job',
      node: toWorkspaceNode(isTraining ? 'training_job' : 'optimization_job', { workspaceId, id: uuidv7() }),
      from: [this.#pick(this.versions)],
      tasks: isTraining ? [] : this.#some(this.tasks),
      rows: [this.#rows()].map((rows) => (isTraining ? wholeOf(rows) : rows)),
      measured: [this.#rows()],
      before,
    };
    this.jobs.push(job);
    this.#record(job.node, [
      ...job.from.map(({ node }) => ({ node, relation: 'base' as const })),
      ...toParents([...job.tasks, ...job.rows], 'train', 'train').map((parent) => {
        const { rows: _, ...whole } = parent;
        return isTraining ? whole : parent;
      }),
      ...(isTraining ? toParents(job.measured, 'measured', 'measured') : []),
      ...(before ? [{ node: before.node, relation: 'retry' as const }] : []),
    ]);
  }

  #publish(): void {
    if (this.jobs.length === 0) return;
    const job = this.#pick(this.jobs);
    const isModel = job.node.kind === 'training_job';
    this.#addVersion(isModel ? 'model' : 'capability', job);
  }

  /** A task made from an attack on a version: what shaped the version did not shape the task. */
  #addRegressionTask(): void {
    const finding = toWorkspaceNode('finding', { workspaceId, id: uuidv7() });
    const review = toWorkspaceNode('review', { workspaceId, id: uuidv7() });
    const task: Task = { kind: 'task', node: this.#artifact('task') };
    this.tasks.push(task);
    this.#record(finding, [{ node: this.#pick(this.versions).node, relation: 'target' }]);
    this.#record(review, [{ node: finding, relation: 'review' }]);
    this.#record(task.node, [
      { node: finding, relation: 'attack' },
      { node: review, relation: 'review' },
    ]);
  }

  /** A check of one version that another one needed: it is not shared lineage. */
  #addCheck(): void {
    const check = toWorkspaceNode('gate_check', { workspaceId, id: uuidv7() });
    this.#record(check, [{ node: this.#pick(this.versions).node, relation: 'check' }]);
    this.#record(this.#pick(this.versions).node, [{ node: check, relation: 'check' }]);
  }

  #addVersion(kind: 'model' | 'capability', madeBy: Job | null): void {
    const version: Version = { kind: 'version', node: this.#artifact(kind), madeBy };
    this.versions.push(version);
    if (madeBy) this.#record(version.node, [{ node: madeBy.node, relation: 'published' }]);
  }
}

const wholeOf = ({ dataset, split }: RowsOf): RowsOf => ({
  dataset,
  split,
  rows: (dataset.splits[split] ?? []).map((_, row) => row),
});

const toParents = (
  sources: readonly (Task | RowsOf)[],
  ofRows: LineageParent['relation'],
  ofTask: LineageParent['relation'],
): LineageParent[] =>
  sources.map((source) =>
    'dataset' in source
      ? { node: source.dataset.node, relation: ofRows, split: source.split, rows: source.rows }
      : { node: source.node, relation: ofTask },
  );

/** Names of the tasks and rows that shaped a version, computed from the model alone. */
function walkPlainly(version: Version): Set<string> {
  const found = new Set<string>();
  const entered = new Set<object>();
  const use = (source: Task | RowsOf) => {
    if (!('dataset' in source)) {
      found.add(source.node.id);
      return;
    }
    for (const row of source.rows) {
      found.add(`${source.dataset.node.id} ${source.split} ${row}`);
      const session = source.dataset.splits[source.split]?.[row];
      if (session) enter(session);
    }
  };
  const enter = (thing: Session | Version | Job) => {
    if (entered.has(thing)) return;
    entered.add(thing);
    if (thing.kind === 'version') {
      if (thing.madeBy) enter(thing.madeBy);
    } else if (thing.kind === 'session') {
      use(thing.ranOn);
      for (const one of thing.with) enter(one);
      if (thing.run) enter(thing.run);
    } else {
      for (const one of [...thing.tasks, ...thing.rows]) use(one);
      for (const one of thing.from) enter(one);
      if (thing.before) enter(thing.before);
    }
  };
  enter(version);
  return found;
}

async function findAll(world: World, version: Version): Promise<Set<string>> {
  const { tasks, rows } = await findShapers(db, organizationId, [version.node.id]);
  const byId = new Map(world.datasets.map((dataset) => [dataset.node.id, dataset]));
  const used = rows.flatMap(({ datasetId, split, rows: chosen }) =>
    (chosen ?? (byId.get(datasetId)?.splits[split] ?? []).map((_, row) => row)).map(
      (row) => `${datasetId} ${split} ${row}`,
    ),
  );
  return new Set([...tasks.keys(), ...used]);
}

test('findShapers names exactly the tasks and rows that a plain walk finds, in 60 random worlds', async () => {
  let shaped = 0;
  for (let seed = 0; seed < 60; seed++) {
    const world = new World(seed);
    await transaction(db, (trx) => recordLineage(trx, organizationId, world.children));
    for (const version of world.versions) {
      const expected = walkPlainly(version);
      expect(await findAll(world, version), `seed ${seed}`).toEqual(expected);
      if (expected.size > 0) shaped++;
    }
  }
  expect(shaped).toBeGreaterThan(100);
});

test('recordLineage changes nothing when it is repeated, and joins rows of the same split', async () => {
  const world = new World(1);
  const [dataset] = world.datasets;
  const [version] = world.versions;
  if (!dataset || !version) throw new Error('the world is empty');
  const job = toWorkspaceNode('optimization_job', { workspaceId, id: uuidv7() });
  const part = { node: dataset.node, relation: 'train' as const, split: 'train' };
  const children = [
    {
      node: job,
      parents: [
        { ...part, rows: [4, 1] },
        { ...part, rows: [1, 2] },
      ],
    },
    { node: version.node, parents: [{ node: job, relation: 'promoted' as const }] },
  ];
  for (let time = 0; time < 2; time++)
    await transaction(db, (trx) => recordLineage(trx, organizationId, children));
  const { rows } = await findShapers(db, organizationId, [version.node.id]);
  expect(rows).toMatchObject([
    { datasetId: dataset.node.id, split: 'train', rows: [1, 2, 4], shaper: { id: job.id } },
  ]);
});
