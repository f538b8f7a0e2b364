/** Real trainers with PyTorch: `npm run test:training`. Skipped if DRYDOCK_TRAINER_PYTHON names no Python with it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLERK, publishClerk } from '../../scripts/demo/clerk.ts';
import { publishDemoModel } from '../../scripts/demo/model.ts';
import { publish, VERSION, WHERE } from '../../scripts/demo/publish.ts';
import { demonstrateTraining } from '../../scripts/demo/train.ts';
import { atEndOfFile } from './end-of-file.ts';
import { makeFolder, postmasterOf, until } from './processes.ts';
import {
  openRestartableServer as openServer,
  type RestartableServer as Server,
} from './restartable-server.ts';

const PYTHON = process.env['DRYDOCK_TRAINER_PYTHON'] ?? '';
const SOURCE = join(import.meta.dirname, '../../trainer/src');
const WAIT_TIMEOUT_MS = 1_200_000;
const KILLS = 10;

/** A trainer of another machine, as `npm run trainer` starts it. */
async function connectTrainer({ drydock, url }: Server, name: string): Promise<ChildProcess> {
  const { key } = await drydock.apiKeys.create({ name, allowed_scopes: ['training:work'] });
  const folder = makeFolder();
  const place = ['--url', url, '--org', 'main', '--workspace', 'main', '--name', name, '--work-dir', folder];
  const child = spawn(PYTHON, ['-m', 'drydock_trainer', 'work', ...place], {
    env: { ...process.env, PYTHONPATH: SOURCE, DRYDOCK_API_KEY: key, OMP_NUM_THREADS: '1' },
    stdio: 'ignore',
  });
  atEndOfFile(async () => void child.kill('SIGKILL'));
  return child;
}

/** Publishes enough rows and epochs for a run that is long enough to kill processes. */
async function publishWork({ drydock }: Server): Promise<string> {
  const rows = Array.from({ length: 160 }, (_, index) => ({
    messages: [
      { role: 'user', content: `What does number ${index} stand for in the harbour book?` },
      { role: 'assistant', content: `Number ${index} stands for berth ${(index * 7) % 160}.` },
    ],
  }));
  await publish(drydock.datasets, {
    name: 'berths',
    manifest: { summary: 'Berths' },
    files: { 'train.jsonl': rows.map((row) => `${JSON.stringify(row)}\n`).join('') },
  });
  await publish(drydock.capabilities, {
    name: 'guide',
    manifest: { schema: 1, name: 'guide', version: VERSION, description: 'Knows berths' },
    files: { 'PROMPT.md': 'You know the harbour.' },
  });
  return publishDemoModel(drydock, PYTHON);
}

const createJob = ({ drydock }: Server, model: string, name: string) =>
  drydock.training.create(WHERE, {
    name,
    model,
    capability_ref: { name: 'guide', version: VERSION },
    config: {
      dataset_ref: { name: 'berths', version: VERSION },
      epochs: 40,
      batch_size: 16,
      learning_rate: 3e-3,
      max_sequence_length: 128,
      checkpoint_interval: 20,
    },
  });

async function getJob({ drydock }: Server, job_id: string) {
  return drydock.training.get({ ...WHERE, job_id }).catch(() => undefined);
}

const ended = (server: Server, id: string) =>
  until(
    'the job has ended',
    async () => {
      const job = await getJob(server, id);
      return job && ['completed', 'failed', 'cancelled'].includes(job.status) ? job : undefined;
    },
    WAIT_TIMEOUT_MS,
  );

async function readLosses({ drydock }: Server, job_id: string) {
  const { series } = await drydock.training.metrics({ ...WHERE, job_id }, { max_points: 10_000 });
  return series['train/loss'];
}

test.skipIf(PYTHON === '')(
  'a tiny model learns ten answers, is served, and is evaluated through the gateway',
  async () => {
    const server = await openServer({ DRYDOCK_TRAINER_PYTHON: PYTHON });
    await publishClerk(server.drydock);
    const prompt = 'Answer with the result only.\nFor words, write the result in upper case.';
    const capability = { name: CLERK, version: VERSION };
    const result = await demonstrateTraining(server.drydock, { prompt, capability });
    await server.stop();
    expect(result?.before).toBe(0);
    expect(result?.after).toBeGreaterThanOrEqual(9);
    expect(result?.losses.at(-1)).toBeLessThan((result?.losses[0] ?? 0) / 10);
  },
  WAIT_TIMEOUT_MS,
);

test.skipIf(PYTHON === '')(
  'a job whose trainer, server and PostgreSQL are killed has bit for bit the same losses as an undisturbed one',
  async () => {
    const server = await openServer();
    const model = await publishWork(server);
    let trainer = await connectTrainer(server, 'steady');
    const { id: calm } = await createJob(server, model, 'calm');
    expect(await ended(server, calm)).toMatchObject({ status: 'completed' });
    const expected = await readLosses(server, calm);
    const { id } = await createJob(server, model, 'killed');
    const victims = [
      'trainer',
      'server',
      'PostgreSQL',
      'server',
      'trainer',
      'PostgreSQL',
      'server',
      'trainer',
      'PostgreSQL',
      'server',
    ];
    expect(victims).toHaveLength(KILLS);
    for (const [index, victim] of victims.entries()) {
      const from = (await getJob(server, id))?.step ?? 0;
      const at = from + 1 + Math.floor(Math.random() * 30);
      await until(
        `step ${at}`,
        async () => {
          const job = await getJob(server, id);
          return job !== undefined && (job.step >= at || job.status === 'completed');
        },
        WAIT_TIMEOUT_MS,
      );
      console.info(`kill ${index + 1}: ${victim} at step ${at}`);
      if (victim === 'trainer') {
        trainer.kill('SIGKILL');
        trainer = await connectTrainer(server, `after-${index}`);
      } else if (victim === 'server') await server.kill();
      else process.kill(postmasterOf(server.dataDir), 'SIGKILL');
    }
    expect(await ended(server, id)).toMatchObject({ status: 'completed' });
    expect(await readLosses(server, id)).toEqual(expected);
    const { items } = await server.drydock.training.checkpoints({ ...WHERE, job_id: id });
    expect(items.map(({ step }) => step)).toEqual(Array.from({ length: 20 }, (_, index) => 20 * (index + 1)));
    await server.stop();
  },
  WAIT_TIMEOUT_MS,
);

test.skipIf(PYTHON === '')(
  'a second trainer takes over the job of a killed one within 60 seconds',
  async () => {
    const server = await openServer();
    const model = await publishWork(server);
    const trainers = [await connectTrainer(server, 'first'), await connectTrainer(server, 'second')];
    const jobs = [await createJob(server, model, 'one'), await createJob(server, model, 'two')];
    const claimed = await until(
      'both jobs run',
      async () => {
        const found = await Promise.all(jobs.map(({ id }) => getJob(server, id)));
        return found.every((job) => (job?.step ?? 0) > 0) ? found : undefined;
      },
      WAIT_TIMEOUT_MS,
    );
    const lost = claimed.find((job) => job?.worker === 'first');
    trainers[0]?.kill('SIGKILL');
    const killedAt = Date.now();
    for (const { id } of jobs) expect(await ended(server, id)).toMatchObject({ status: 'completed' });
    const { items } = await server.drydock.training.logs({ ...WHERE, job_id: lost?.id ?? '' });
    const taken = items.findLast(({ message }) => message.includes('Trainer "second" has claimed'));
    const waited = (Date.parse(taken?.timestamp ?? '') - killedAt) / 1_000;
    console.info(`taken over ${waited.toFixed(1)} s after the kill`);
    // The second trainer is free only after its own job has ended, so the time counts from there.
    const other = claimed.find((job) => job?.worker === 'second');
    const freeAt = Date.parse((await getJob(server, other?.id ?? ''))?.completed_at ?? '');
    expect((Date.parse(taken?.timestamp ?? '') - Math.max(killedAt, freeAt)) / 1_000).toBeLessThan(60);
    await server.stop();
  },
  WAIT_TIMEOUT_MS,
);
