/** The worker protocol: claims, reports, checkpoints, leases, and the model at the end. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  ADAPTER,
  endAt,
  JOBS,
  START,
  savedAt,
  startTrainingWorld,
  stepOf,
  W,
} from '../../../test/training-world.ts';

const world = await startTrainingWorld();
const { server, me, create, getJob } = world;
const trainer = await world.newTrainer();

/** Ends the lease of a job, as 30 seconds without a report do. */
const loseWorker = (id: string) =>
  sql`UPDATE training_jobs /* of every organization */ SET lease_expires_at = now() - interval '1 second' WHERE id = ${id}`.execute(
    server.db,
  );

test('claimTrainingJob gives the job with its settings and its files', async () => {
  const id = await create({ config: { epochs: 2, lora_rank: 8, warmup: 5, tags: null } });
  const { status, body } = await trainer.claim();
  expect(status).toBe(200);
  expect(body.job).toMatchObject({
    id,
    attempt: 1,
    backend: 'hosted_a',
    trainer_type: 'sft',
    engine: 'local',
    lease: { seconds: 30 },
    capability: { name: 'helper', version: '1.0.0', system_prompt: 'You answer briefly.' },
    config: {
      epochs: 2,
      steps: null,
      batch_size: 4,
      gradient_accumulation_steps: 1,
      learning_rate: 2e-4,
      max_sequence_length: 2048,
      lora_rank: 8,
      lora_alpha: 16,
      checkpoint_interval: null,
      seed: 0,
      packing: false,
      // No engine has it, so the trainer refuses the job by its name.
      warmup: 5,
    },
    datasets: [{ role: 'train', name: 'facts', version: '1.0.0', format: 'jsonl', row_count: 8 }],
    checkpoint: null,
  });
  const weights = body.job.model.files.find(({ path }: { path: string }) => path === 'model.safetensors');
  expect(await (await fetch(weights.url)).text()).toBe('weights');
  const rows = await (await fetch(body.job.datasets[0].file.url)).text();
  expect(rows.split('\n')[0]).toContain('What is 0?');
  expect(await getJob(id)).toMatchObject({ status: 'running', worker: 'box', attempt: 1 });
  expect((await trainer.claim()).body).toEqual({ job: null });
  await trainer.report({ id, attempt: 1 }, [{ type: 'training_error', kind: 'error', message: 'end' }]);
});

test('reportTrainingProgress stores every record once when the same records are sent again', async () => {
  const id = await create();
  const job = await trainer.claimJob();
  const records = [START, stepOf(1), stepOf(2), { type: 'log', level: 'info', message: 'half' }];
  const first = await trainer.report(job, records);
  expect(first.body).toEqual({ action: 'continue', next_seq: 5, lease: { seconds: 30 } });
  expect((await trainer.report(job, records)).body).toMatchObject({ next_seq: 5 });
  expect((await trainer.report(job, [...records, stepOf(3)])).body).toMatchObject({ next_seq: 6 });
  const { series } = (await me.get(`${JOBS}/${id}/metrics`)).body;
  expect(series['train/loss']).toEqual({ steps: [1, 2, 3], values: [1, 1 / 2, 1 / 3], total: 3 });
  const { items } = (await me.get(`${JOBS}/${id}/logs`)).body;
  expect(items.filter(({ message }: { message: string }) => message === 'half')).toHaveLength(1);
  const gap = await trainer.report(job, [stepOf(5)], 9);
  expect(gap.status).toBe(422);
  expect(gap.body.errors[0]).toMatchObject({ loc: ['body', 'records', 0, 'seq'] });
  expect(await getJob(id)).toMatchObject({
    step: 3,
    metrics: {
      'train/loss': [1, 1 / 2, 1 / 3],
      steps: [1, 2, 3],
      'train/loss_last': 1 / 3,
      'train/loss_best': 1 / 3,
      'train/num_examples': 8,
      'train/num_tokens_processed': 120,
      truncated_examples: 1,
      effective_config: { lora_rank: 16, lora_alpha: 32 },
    },
  });
  await trainer.report(job, [{ type: 'training_error', kind: 'error', message: 'end' }], 6);
});

test('training_end publishes the final checkpoint as a model with its lineage', async () => {
  const id = await create({ name: 'Facts of ours' });
  const job = await trainer.claimJob();
  await trainer.report(job, [START, stepOf(1), stepOf(2)]);
  await trainer.upload(job, 2);
  const saved = await trainer.report(job, [savedAt(2), endAt(2)], 4);
  expect([saved.status, saved.body.action]).toEqual([200, 'continue']);
  const ended = await getJob(id);
  expect(ended).toMatchObject({
    status: 'completed',
    artifacts: { model: { model: 'facts-of-ours', version: '1.0.0', step: 2 } },
  });
  // A trainer that got no response to its last report sends it again.
  expect((await trainer.report(job, [savedAt(2), endAt(2)], 4)).status).toBe(200);
  const { body: model } = await me.get('/org/main/models/facts-of-ours/1.0.0');
  expect(model).toMatchObject({
    framework: 'peft',
    base_model: 'tiny@1.0.0',
    origin: {
      training_job: id,
      step: 2,
      capability: { name: 'helper', version: '1.0.0' },
      data: [{ dataset: 'facts@1.0.0', rows: 8 }],
      config: { lora_rank: 16 },
      seed: 0,
      checkpoints: [2],
      libraries: { torch: '2.15.0' },
      metrics: { 'train/loss': 1 / 2 },
    },
  });
  const { body: files } = await me.get('/org/main/models/facts-of-ours/1.0.0/files');
  expect(files.files.map(({ path }: { path: string }) => path).toSorted()).toEqual([
    'README.md',
    'adapter_config.json',
    'adapter_model.safetensors',
    'model.yaml',
    'tokenizer.json',
  ]);
  await create({ name: 'Facts of ours' });
  const again = await trainer.claimJob();
  await trainer.upload(again, 1);
  await trainer.report(again, [START, stepOf(1), savedAt(1), endAt(1)]);
  expect((await getJob(again.id)).artifacts.model).toMatchObject({ version: '1.1.0' });
});

test('checkpoint_saved is refused when a part has not arrived, and the checkpoint does not count', async () => {
  const id = await create();
  const job = await trainer.claimJob();
  await trainer.announce(job, 1, ADAPTER);
  const refused = await trainer.report(job, [START, stepOf(1), savedAt(1)]);
  expect(refused.status).toBe(422);
  expect(refused.body.errors[0].msg).toContain('has not arrived');
  expect((await me.get(`${JOBS}/${id}/checkpoints`)).body.items).toEqual([]);
  await trainer.upload(job, 1);
  expect((await trainer.report(job, [START, stepOf(1), savedAt(1)])).status).toBe(200);
  expect((await me.get(`${JOBS}/${id}/checkpoints`)).body.items).toMatchObject([
    { step: 1, servable: true, metrics: { 'train/loss': 1 }, published: [] },
  ]);
  await trainer.report(job, [{ type: 'training_error', kind: 'error', message: 'end' }], 4);
});

test('claimTrainingJob gives the job of a lost trainer with its last checkpoint, and the lost one is fenced', async () => {
  const id = await create();
  const other = await world.newTrainer();
  const first = await trainer.claimJob('first');
  await trainer.report(first, [START, stepOf(1), stepOf(2)]);
  await trainer.upload(first, 2);
  await trainer.report(first, [savedAt(2), stepOf(3, 0.9)], 4);
  await loseWorker(id);
  const second = await other.claimJob('second');
  expect(second).toMatchObject({ id, attempt: 2, checkpoint: { step: 2 } });
  const parts = (second.checkpoint as unknown as { files: { path: string; parts: { url: string }[] }[] })
    .files;
  const state = parts.find(({ path }) => path === 'state/optimizer.pt');
  expect(await (await fetch(state?.parts[0]?.url ?? '')).text()).toBe('moments');
  for (const call of [
    trainer.report(first, [stepOf(4)], 6),
    trainer.report(first, []),
    trainer.announce(first, 4, ADAPTER),
    trainer.client.post(`${JOBS}/${id}/files`, { attempt: 1 }),
    trainer.client.post(`${JOBS}/${id}/files`, { attempt: 2 }),
  ])
    expect((await call).status).toBe(409);
  await other.report(second, [{ ...START, step: 2 }]);
  expect(await getJob(id)).toMatchObject({ step: 2, metrics: { steps: [1, 2], 'train/loss_last': 0.5 } });
  await other.report(second, [stepOf(3, 0.3), stepOf(4, 0.25)], 2);
  const { series } = (await me.get(`${JOBS}/${id}/metrics?names=train/loss`)).body;
  expect(series).toEqual({ 'train/loss': { steps: [1, 2, 3, 4], values: [1, 0.5, 0.3, 0.25], total: 4 } });
  await other.report(second, [{ type: 'training_error', kind: 'error', message: 'end' }], 4);
});

test('a training job fails when its fourth trainer is lost', async () => {
  const id = await create();
  for (const attempt of [1, 2, 3, 4]) {
    expect(await trainer.claimJob()).toMatchObject({ id, attempt });
    await loseWorker(id);
  }
  expect((await trainer.claim()).body).toEqual({ job: null });
  expect(await getJob(id)).toMatchObject({ status: 'failed', attempt: 4 });
  expect((await getJob(id)).error).toContain('was lost, the fourth of this job');
});

test('cancelTrainingJob ends a waiting job at once, and notifies the trainer of a running one', async () => {
  const waiting = await create();
  expect((await me.post(`${JOBS}/${waiting}/cancel`)).body).toMatchObject({ status: 'cancelled' });
  expect((await me.post(`${JOBS}/${waiting}/cancel`)).status).toBe(409);
  const id = await create();
  const job = await trainer.claimJob();
  expect((await me.post(`${JOBS}/${id}/cancel`)).body).toMatchObject({ status: 'running' });
  expect((await trainer.report(job, [START, stepOf(1)])).body).toMatchObject({
    action: 'cancel',
    next_seq: 3,
  });
  await trainer.report(job, [{ type: 'cancelled' }], 3);
  expect(await getJob(id)).toMatchObject({ status: 'cancelled', step: 1, error: null });
  const lost = await create();
  await trainer.claimJob();
  await me.post(`${JOBS}/${lost}/cancel`);
  await loseWorker(lost);
  await trainer.claim();
  expect(await getJob(lost)).toMatchObject({ status: 'cancelled' });
});

test('training_end cancels a job whose cancel was requested before', async () => {
  const id = await create();
  const job = await trainer.claimJob();
  await trainer.upload(job, 1);
  await trainer.report(job, [START, stepOf(1), savedAt(1)]);
  await me.post(`${JOBS}/${id}/cancel`);
  expect((await trainer.report(job, [endAt(1)], 4)).body).toMatchObject({ next_seq: 5 });
  expect(await getJob(id)).toMatchObject({ status: 'cancelled', artifacts: { model: null } });
});

test('training_end publishes the next version when one was deleted, and for jobs of one name that end at once', async () => {
  const train = async () => {
    await create({ name: 'reused' });
    const job = await trainer.claimJob();
    await trainer.upload(job, 1);
    await trainer.report(job, [START, stepOf(1), savedAt(1)]);
    return job;
  };
  await trainer.report(await train(), [endAt(1)], 4);
  expect((await me.delete('/org/main/models/reused/1.0.0')).status).toBe(204);
  const jobs = [await train(), await train(), await train()];
  await Promise.all(jobs.map((job) => trainer.report(job, [endAt(1)], 4)));
  const versions = await Promise.all(
    jobs.map(async ({ id }) => (await getJob(id)).artifacts.model?.version as string),
  );
  expect(new Set(versions)).toEqual(new Set(['1.1.0', '1.2.0', '1.3.0']));
});

test('reportTrainingProgress refuses records after an end, values without bounds, and parts to other trainers', async () => {
  const id = await create();
  const job = await trainer.claimJob();
  const ending = { type: 'training_error', kind: 'error', message: 'x' };
  expect((await trainer.report(job, [ending, stepOf(1)])).status).toBe(422);
  expect((await trainer.report(job, [stepOf(1, 1e308)])).status).toBe(422);
  const other = await world.newTrainer();
  expect((await other.report(job, [savedAt(1)])).status).toBe(409);
  await trainer.upload(job, 1);
  await trainer.report(job, [START, stepOf(1), savedAt(1)]);
  expect((await trainer.announce(job, 1, ADAPTER)).status).toBe(422);
  await trainer.upload(job, 2, { 'state/optimizer.pt': 'moments' });
  await trainer.report(job, [stepOf(2), savedAt(2)], 4);
  expect((await me.post(`${JOBS}/${id}/checkpoints/2/publish`)).status).toBe(409);
  expect((await me.post(`${JOBS}/${id}/checkpoints/99999999999/publish`)).status).toBe(422);
  await trainer.report(job, [{ ...stepOf(3), metrics: { constructor: 1, 'train/loss': 1 } }], 6);
  const { series } = (await me.get(`${JOBS}/${id}/metrics`)).body;
  expect(series.constructor).toEqual({ steps: [3], values: [1], total: 1 });
  expect((await getJob(id)).metrics['train/grad_norm']).toEqual([0.5, 0.5, null]);
  await trainer.report(job, [ending], 7);
});

test('training_error fails the job with its reason, and retryTrainingJob continues from the last checkpoint', async () => {
  const id = await create();
  const job = await trainer.claimJob();
  await trainer.upload(job, 1);
  const message = 'The loss of step 2 is not a number. Lower learning_rate, which is 0.0002.';
  await trainer.report(job, [
    START,
    stepOf(1),
    savedAt(1),
    { type: 'training_error', kind: 'nan_loss', field: 'config.learning_rate', message },
  ]);
  expect(await getJob(id)).toMatchObject({ status: 'failed', error: `config.learning_rate: ${message}` });
  expect((await trainer.report(job, [stepOf(2)], 5)).status).toBe(409);
  const retried = await me.post(`${JOBS}/${id}/retry`);
  expect(retried).toMatchObject({ status: 201, body: { status: 'queued', retry_of: id, attempt: 0 } });
  const next = await trainer.claimJob();
  expect(next).toMatchObject({ id: retried.body.id, attempt: 1, checkpoint: { step: 1 } });
  await trainer.report(next, [{ type: 'training_error', kind: 'error', message: 'end' }]);
});

test('promoteTrainingCheckpoint makes a pre-release, or the version that is asked for', async () => {
  const id = await create({ name: 'steps' });
  const job = await trainer.claimJob();
  await trainer.upload(job, 1);
  await trainer.report(job, [START, stepOf(1), savedAt(1)]);
  const path = `${JOBS}/${id}/checkpoints/1/publish`;
  expect(await me.post(path)).toMatchObject({
    status: 201,
    body: { name: 'steps', version: '1.0.0-step.1', step: 1 },
  });
  const other = { name: 'other', version: '2.0.0' };
  expect(await me.post(path, other)).toMatchObject({ status: 201, body: other });
  expect((await me.get('/org/main/models/other/2.0.0')).body.origin).toMatchObject({ training_job: id });
  expect((await me.post(`${JOBS}/${id}/checkpoints/7/publish`)).status).toBe(404);
  await publishTaken();
  expect((await me.post(path, { name: 'tiny', version: '1.0.0' })).status).toBe(409);
  await trainer.report(job, [{ type: 'training_error', kind: 'error', message: 'end' }], 4);
});

const publishTaken = () =>
  expect(me.get('/org/main/models/tiny/1.0.0')).resolves.toMatchObject({ status: 200 });

test('a key with training:work reaches the protocol and nothing else, and no other key reaches the protocol', async () => {
  expect((await trainer.client.get(JOBS)).status).toBe(403);
  expect((await trainer.client.post(JOBS, {})).status).toBe(403);
  expect((await trainer.client.get('/org/main/models')).status).toBe(403);
  expect((await trainer.client.get('/user')).status).toBe(403);
  const claim = { worker: 'x', engines: ['local'], protocol: 1, wait_seconds: 0 };
  const refused = await me.post(`${W}/training/claim`, claim);
  expect(refused.status).toBe(403);
  expect(refused.body.detail).toContain('training:work');
  const other = await server.addPerson('someone', { role: 'member' });
  expect((await server.as(other).post(`${W}/training/claim`, claim)).status).toBe(403);
});

test('getTrainingBackends names the trainers that have asked for jobs', async () => {
  await trainer.claim('gpu-box', { resources: { device: 'cuda' } });
  const { body } = await me.get(`${W}/training/backends`);
  expect(body.backends[0]).toMatchObject({ backend: 'hosted_a', available: true, reason: null });
  expect(body.workers[0]).toMatchObject({ name: 'gpu-box', resources: { device: 'cuda' }, job_id: null });
});
