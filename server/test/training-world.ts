/** A server with training data, and a trainer that implements the worker protocol without computing anything. */
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { bundle } from './bundles.ts';
import { publishCapability } from './capabilities.ts';
import { type Client, startTestServer, type TestServer } from './harness.ts';

export const W = '/org/main/ws/main';
export const JOBS = `${W}/training/jobs`;

/** Files of a base model as the server sees them; no trainer could load its weights. */
export const BASE_FILES = {
  'model.yaml': 'architecture: LlamaForCausalLM\nsummary: tiny\n',
  'config.json': '{"architectures":["LlamaForCausalLM"]}',
  'tokenizer.json': '{}',
  'tokenizer_config.json': '{"chat_template":"{{ messages }}"}',
  'model.safetensors': 'weights',
};

export const ROWS = Array.from({ length: 8 }, (_, index) => ({
  messages: [
    { role: 'user', content: `What is ${index}?` },
    { role: 'assistant', content: `It is ${index}.` },
  ],
}));

export const toLines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

export async function publish(
  me: Client,
  path: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const { status, body } = await me.put(`/org/main/${path}`, bundle(files));
  expect({ status, body }).toMatchObject({ status: 201 });
}

export const publishDataset = (me: Client, name: string, rows: readonly object[]) =>
  publish(me, `datasets/${name}/1.0.0`, { 'dataset.yaml': 'summary: x\n', 'train.jsonl': toLines(rows) });

export async function startTrainingWorld(environment: NodeJS.ProcessEnv = {}) {
  const server = await startTestServer(environment);
  const me = server.as(server.owner);
  await publishTrainingData(me);
  return { server, me, ...trainingTools(me), newTrainer: () => newTrainer(server) };
}

export async function publishTrainingData(me: Client): Promise<void> {
  await publishCapability(me, {
    name: 'helper',
    files: { 'agents/helper.md': '---\nname: helper\n---\nYou answer briefly.\n' },
  });
  await publish(me, 'models/tiny/1.0.0', BASE_FILES);
  await publishDataset(me, 'facts', ROWS);
}

/** Test helpers for training jobs. */
export function trainingTools(me: Client) {
  /** @param change of a valid request; undefined omits a field */
  const toRequest = (change: object = {}) => ({
    model: 'main/tiny@1.0.0',
    capability_ref: { name: 'helper', version: '1.0.0' },
    ...change,
    config: {
      dataset_ref: { name: 'facts', version: '1.0.0' },
      ...('config' in change ? (change.config as object) : {}),
    },
  });

  async function create(change?: object) {
    const { status, body } = await me.post(JOBS, toRequest(change));
    expect({ status, body }).toMatchObject({ status: 201 });
    return body.id as string;
  }

  const getJob = async (id: string) => (await me.get(`${JOBS}/${id}`)).body;
  return { toRequest, create, getJob };
}

/** A trainer with a key of its own. */
export async function newTrainer(server: TestServer) {
  const me = server.as(server.owner);
  const { body: workspaces } = await me.get('/org/main/ws');
  const workspace = workspaces.find(({ key }: { key: string }) => key === 'main') ?? workspaces[0];
  const { status, body } = await me.post('/user/api-keys', {
    name: 'trainer',
    workspace_id: workspace.id,
    allowed_scopes: ['training:work'],
  });
  expect({ status, body }).toMatchObject({ status: 201 });
  return trainerOf(server.as(body.key as string), body.key as string);
}

export interface Report {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The worker protocol, call by call. */
export function trainerOf(client: Client, key: string) {
  const claim = (name = 'box', more: object = {}) =>
    client.post(`${W}/training/claim`, {
      worker: name,
      engines: ['local'],
      protocol: 1,
      wait_seconds: 0,
      ...more,
    });

  async function claimJob(name?: string) {
    const { status, body } = await claim(name);
    expect({ status, body }).toMatchObject({ status: 200, body: { job: { engine: 'local' } } });
    return body.job as { id: string; attempt: number; checkpoint: { step: number } | null };
  }

  /** Sends records with the numbers after `from`. */
  const report = (job: { id: string; attempt: number }, reports: readonly Report[], from = 1) =>
    client.post(`${JOBS}/${job.id}/progress`, {
      attempt: job.attempt,
      records: reports.map((one, index) => ({
        timestamp: '2026-01-01T00:00:00Z',
        seq: from + index,
        ...one,
      })),
    });

  const announce = (
    job: { id: string; attempt: number },
    step: number,
    files: Readonly<Record<string, string>>,
  ) =>
    client.post(`${JOBS}/${job.id}/checkpoints`, {
      attempt: job.attempt,
      step,
      files: Object.entries(files).map(([path, content]) => ({
        path,
        size_bytes: Buffer.byteLength(content),
        sha256: createHash('sha256').update(content).digest('hex'),
      })),
    });

  /** Uploads the files of a checkpoint; the caller sends `checkpoint_saved`. */
  async function upload(
    job: { id: string; attempt: number },
    step: number,
    files: Readonly<Record<string, string>> = ADAPTER,
  ) {
    const { status, body } = await announce(job, step, files);
    expect({ status, body }).toMatchObject({ status: 200 });
    for (const { path, parts } of body.files)
      for (const { url, offset, size_bytes } of parts) {
        const content = Buffer.from(files[path] ?? '').subarray(offset, offset + size_bytes);
        const put = await fetch(url, { method: 'PUT', body: content });
        expect(put.status).toBe(200);
      }
  }

  return { client, key, claim, claimJob, report, announce, upload };
}

/** The files of a checkpoint. */
export const ADAPTER = {
  'adapter_config.json': '{"peft_type":"LORA"}',
  'adapter_model.safetensors': 'low rank',
  'tokenizer.json': '{}',
  'state/optimizer.pt': 'moments',
};

export const START: Report = {
  type: 'training_start',
  step: 0,
  total_steps: 4,
  num_examples: 8,
  num_tokens: 80,
  truncated_examples: 1,
  engine: { micro_batch_size: 2, device: 'cpu' },
  libraries: { torch: '2.15.0' },
};

export const stepOf = (step: number, loss = 1 / step): Report => ({
  type: 'step_complete',
  step,
  epoch: step / 2,
  num_tokens_processed: step * 40,
  metrics: {
    'train/loss': loss,
    'train/learning_rate': 1e-4,
    'train/grad_norm': 0.5,
    'train/tokens_per_second': 100,
  },
});

export const savedAt = (step: number): Report => ({
  type: 'checkpoint_saved',
  step,
  metrics: { 'train/loss': 1 / step },
});

export const endAt = (step: number): Report => ({
  type: 'training_end',
  step,
  checkpoint_step: step,
  metrics: {},
});
