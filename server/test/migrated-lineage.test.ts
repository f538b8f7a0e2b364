/** The migration that adds lineage records the relations of existing rows. */
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { migrate } from '../src/platform/db/migrate.ts';
import { createLog } from '../src/platform/log.ts';
import { createDatabase } from './databases.ts';

const NAMES = [
  'org',
  'other',
  'workspace',
  'user',
  'assistant',
  'assistant 1',
  'assistant 2',
  'facts',
  'facts 1',
  'tiny',
  'tiny 1',
  'pupil',
  'pupil 1',
  'alpha',
  'alpha 1',
  'evaluation',
  'rows',
  'item',
  'row item',
  'session',
  'row session',
  'first session',
  'attempt',
  'optimization',
  'retry',
  'training',
  'assessment',
  'finding',
  'review',
  'project',
  'scoring',
  'scored item',
  'scored session',
];
const idOf = (name: string) => `00000000-0000-7000-8000-${String(NAMES.indexOf(name) + 1).padStart(12, '0')}`;
const q = (name: string) => {
  if (!NAMES.includes(name)) throw new Error(`no ${name}`);
  return `'${idOf(name)}'`;
};
const json = (value: object) => `'${JSON.stringify(value)}'::jsonb`;

const artifact = (owner: string, kind: string, name: string, versions: readonly string[]) => `
  INSERT INTO artifacts (organization_id, id, kind, name, created_by) VALUES (${q(owner)}, ${q(name)}, '${kind}', '${name}', ${q('user')});
  ${versions
    .map(
      (version) => `
  INSERT INTO artifact_versions (organization_id, id, artifact_id, version, precedence, is_prerelease, digest, manifest, details, file_count,
                                 file_size_bytes, created_by)
  VALUES (${q(owner)}, ${q(`${name} ${version}`)}, ${q(name)}, '${version}.0.0', '${version}', false, sha256(''), '{}', '{}', 0, 0, ${q('user')});`,
    )
    .join('')}`;

const evaluation = (name: string, request: object, column = 'NULL') => `
  INSERT INTO evaluations (organization_id, id, workspace_id, created_by, name, model, concurrency, request, execution, total_samples,
                           item_counts, optimization_job_id)
  VALUES (${q('org')}, ${q(name)}, ${q('workspace')}, ${q('user')}, 'x', 'sim/echo', 1, ${json(request)}, '{}', 1, '{}', ${column});`;

const item = (name: string, of: string, session: string, row: string) => `
  INSERT INTO evaluation_items (organization_id, id, evaluation_id, position, source_position, row_index, sample, session_id)
  VALUES (${q('org')}, ${q(name)}, ${q(of)}, 0, 0, ${row}, 1, ${q(session)});`;

const pinned = (owner: string, name: string, version: string) => ({
  ownerId: idOf(owner),
  versionId: idOf(`${name} ${version}`),
  name,
  version: `${version}.0.0`,
});

const facts = { name: 'facts', version: '1.0.0', split: 'train' };

const ROWS = `
  INSERT INTO organizations (id, key, name) VALUES (${q('org')}, 'main', 'main'), (${q('other')}, 'other', 'other');
  INSERT INTO users (id, username, email_address) VALUES (${q('user')}, 'ana', 'ana@x.test');
  INSERT INTO workspaces (organization_id, id, key, name, created_by) VALUES (${q('org')}, ${q('workspace')}, 'main', 'main', ${q('user')});
  ${artifact('org', 'capability', 'assistant', ['1', '2'])}
  ${artifact('org', 'dataset', 'facts', ['1'])}
  ${artifact('org', 'model', 'tiny', ['1'])}
  ${artifact('org', 'model', 'pupil', ['1'])}
  ${artifact('other', 'task', 'alpha', ['1'])}
  ${evaluation('evaluation', { capability: { name: 'assistant', version: '2.0.0' } })}
  INSERT INTO evaluation_tasks (organization_id, evaluation_id, position, task_name, task_version, owner_id, version_id, details)
  VALUES (${q('org')}, ${q('evaluation')}, 0, 'other/alpha', '1.0.0', ${q('other')}, ${q('alpha 1')}, '{}');
  ${item('item', 'evaluation', 'session', 'NULL')}
  INSERT INTO evaluation_item_attempts (organization_id, item_id, number, id, session_id, outcome)
  VALUES (${q('org')}, ${q('item')}, 1, ${q('attempt')}, ${q('first session')}, '{}');
  ${evaluation('rows', { dataset: facts })}
  ${item('row item', 'rows', 'row session', '4')}
  INSERT INTO optimization_jobs (organization_id, id, workspace_id, created_by, model, target_kind, request, seed_candidate, train_size,
                                 val_size, holdout_size, retry_of)
  SELECT ${q('org')}, j.id::uuid, ${q('workspace')}, ${q('user')}, 'sim/echo', 'capability_agent',
         ${json({ capability: pinned('org', 'assistant', '1'), dataset_ref: facts, val_dataset_ref: null })}, '{}', 2, 0, 1, j.retry_of::uuid
    FROM (VALUES (${q('optimization')}, NULL), (${q('retry')}, ${q('optimization')})) AS j (id, retry_of);
  INSERT INTO optimization_examples (organization_id, job_id, split, position, row_index, source)
  VALUES (${q('org')}, ${q('optimization')}, 'train', 0, 5, '{}'), (${q('org')}, ${q('optimization')}, 'train', 1, 2, '{}'),
         (${q('org')}, ${q('optimization')}, 'holdout', 0, 3, '{}'),
         (${q('org')}, ${q('retry')}, 'train', 0, NULL, ${json(pinned('other', 'alpha', '1'))});
  INSERT INTO optimization_promotions (organization_id, capability, version, job_id, candidate_index, created_by)
  VALUES (${q('org')}, 'assistant', '2.0.0', ${q('optimization')}, 1, ${q('user')});
  ${evaluation('scoring', { capability: { name: 'assistant', version: '1.0.0' } }, q('optimization'))}
  ${item('scored item', 'scoring', 'scored session', '0')}
  INSERT INTO training_jobs (organization_id, id, workspace_id, created_by, backend, trainer_type, model, request)
  VALUES (${q('org')}, ${q('training')}, ${q('workspace')}, ${q('user')}, 'hosted_a', 'sft', 'main/tiny@1.0.0',
          ${json({
            capability: pinned('org', 'assistant', '2'),
            base: pinned('org', 'tiny', '1'),
            datasets: [
              { ...pinned('org', 'facts', '1'), role: 'train', split: 'train' },
              { ...pinned('org', 'facts', '1'), role: 'eval', split: 'test' },
            ],
          })});
  INSERT INTO training_publications (organization_id, job_id, model, version, step, is_final, created_by, published_at)
  VALUES (${q('org')}, ${q('training')}, 'pupil', '1.0.0', 1, true, ${q('user')}, now());
  INSERT INTO airt_assessments (organization_id, id, workspace_id, project_id, created_by, name)
  VALUES (${q('org')}, ${q('assessment')}, ${q('workspace')}, ${q('project')}, ${q('user')}, 'x');
  INSERT INTO airt_findings (organization_id, id, assessment_id, workspace_id, project_id, position, attack_name, goal)
  VALUES (${q('org')}, ${q('finding')}, ${q('assessment')}, ${q('workspace')}, ${q('project')}, 0, 'pair', 'x');
  INSERT INTO airt_finding_reviews (organization_id, id, workspace_id, assessment_id, finding_id, attack_name, original_finding_type,
    updated_finding_type, original_severity, updated_severity, original_status, updated_status, updated_by)
  VALUES (${q('org')}, ${q('review')}, ${q('workspace')}, ${q('assessment')}, ${q('finding')}, 'pair', 'robust', 'robust', 'info', 'info',
          'open', 'open', 'ana');`;

test('migration 26 records the lineage of samples, jobs, versions and findings', async () => {
  const database = await createDatabase(inject('databaseUrl'), 'template0');
  onTestFinished(() => database.drop());
  const { url } = database;
  const log = createLog('fatal');
  await migrate({ url, log, upTo: 25 });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(ROWS);
  await migrate({ url, log });
  const nameOf = (id: string) => NAMES.find((name) => idOf(name) === id) ?? id;
  const { rows: edges } = await client.query(
    'SELECT child_id, parent_id, relation, split, rows FROM lineage_edges',
  );
  const shown = edges.map(
    ({ child_id, parent_id, relation, split, rows }) =>
      `${nameOf(child_id)} <- ${nameOf(parent_id)}: ${relation}${split && ` ${split}`}${rows ? ` ${rows}` : ''}`,
  );
  expect(shown.toSorted()).toEqual(
    [
      'session <- alpha 1: task',
      'session <- assistant 2: capability',
      'session <- evaluation: run',
      'first session <- alpha 1: task',
      'first session <- assistant 2: capability',
      'first session <- evaluation: run',
      'row session <- facts 1: dataset train 4',
      'row session <- rows: run',
      'scored session <- assistant 1: capability',
      'scored session <- optimization: run',
      'optimization <- assistant 1: base',
      'optimization <- facts 1: train train 2,5',
      'retry <- assistant 1: base',
      'retry <- optimization: retry',
      'retry <- alpha 1: train',
      'assistant 2 <- optimization: promoted',
      'training <- assistant 2: capability',
      'training <- tiny 1: base',
      'training <- facts 1: train train',
      'training <- facts 1: measured test',
      'pupil 1 <- training: published',
      'finding <- assessment: run',
      'review <- finding: review',
    ].toSorted(),
  );
  const { rows: nodes } = await client.query(
    'SELECT id, kind, name, version, owner_id, workspace_id FROM lineage_nodes',
  );
  const ends = new Set(edges.flatMap(({ child_id, parent_id }) => [child_id, parent_id]));
  expect(new Set(nodes.map(({ id }) => id))).toEqual(ends);
  expect(nodes.find(({ id }) => id === idOf('alpha 1'))).toMatchObject({
    kind: 'task',
    name: 'other/alpha',
    version: '1.0.0',
    owner_id: idOf('other'),
    workspace_id: null,
  });
  expect(nodes.find(({ id }) => id === idOf('facts 1'))).toMatchObject({ name: 'facts', owner_id: null });
  expect(nodes.find(({ id }) => id === idOf('session'))).toMatchObject({
    kind: 'session',
    workspace_id: idOf('workspace'),
  });
});
