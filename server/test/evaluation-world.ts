/** A server with a worker that runs evaluations, and tasks to evaluate. */

import { sql } from 'kysely';
import { expect } from 'vitest';
import { bundle } from './bundles.ts';
import { atEndOfFile } from './end-of-file.ts';
import { type Client, type Person, SECRET_KEY, startTestServer, type TestServer } from './harness.ts';
import { type ModelProvider, startModelProvider } from './model-provider.ts';
import { until } from './processes.ts';
import { startTestWorker } from './workers.ts';

export const W = '/org/main/ws/main';

/** The manifest is written as JSON, which is YAML. */
interface TaskFiles {
  readonly manifest?: object;
  readonly files?: Readonly<Record<string, string>>;
}

export interface EvaluationWorldOptions {
  readonly environment?: NodeJS.ProcessEnv;
  readonly credits?: 'unlimited' | 'enforced';
  readonly hasWorker?: boolean;
}

export async function startEvaluationWorld({
  environment = {},
  credits,
  hasWorker = true,
}: EvaluationWorldOptions = {}) {
  const server = await startTestServer(environment, [], { hasSandboxes: true });
  const place = { ...server, secretKey: SECRET_KEY, allowsPrivate: true, ...(credits && { credits }) };
  const startWorker = () => startTestWorker(place);
  const worker = hasWorker ? await startWorker() : undefined;
  return { server, worker, startWorker, ...evaluationTools(server) };
}

/** Test helpers for the evaluations of a server. */
export function evaluationTools(server: TestServer, person: Person = server.owner) {
  const me = server.as(person);

  /** Publishes a task whose instruction is a shell block, which `sim/tool-user` runs. */
  async function publishTask(name: string, block: string, { manifest = {}, files = {} }: TaskFiles = {}) {
    const task = {
      name,
      version: '1.0.0',
      instruction: `Run this:\n\n\`\`\`sh\n${block}\n\`\`\`\n`,
      verification: { method: 'script', script: 'verify.sh' },
      ...manifest,
    };
    const content = bundle({ 'task.yaml': JSON.stringify(task), ...files });
    const { status, body } = await me.put(`/org/main/tasks/${name}/${task.version}`, content);
    expect({ status, body }).toMatchObject({ status: 201 });
  }

  async function evaluate(request: object) {
    const { status, body } = await me.post(`${W}/evaluation`, {
      name: 'test',
      model: 'sim/tool-user',
      ...request,
    });
    expect({ status, body }).toMatchObject({ status: 201 });
    return body.id as string;
  }

  const get = async (id: string) => (await me.get(`${W}/evaluation/${id}`)).body;

  /** Waits for the end of an evaluation. */
  async function ended(id: string) {
    const states = new Set(['completed', 'failed', 'cancelled']);
    return until('the evaluation has ended', async () => {
      const evaluation = await get(id);
      return states.has(evaluation.status) && evaluation;
    });
  }

  const listItems = async (id: string, query = '') =>
    (await me.get(`${W}/evaluation/${id}/items?page_size=100${query}`)).body.items;

  /** Lists leftovers of background work: runtimes of evaluations, and reserved credits. */
  async function listLeftovers() {
    const { rows: runtimes } = await sql<{ id: string }>`
      SELECT id FROM runtimes /* of every organization */ WHERE origin <> 'user'`.execute(server.db);
    return runtimes;
  }

  return { me, publishTask, evaluate, get, ended, listItems, listLeftovers };
}

/** A provider whose responses a test scripts, behind the model `acme/large`. A token costs 0.001 US dollars by default. */
export async function addProvider(me: Client, { price = 1_000 } = {}): Promise<ModelProvider> {
  const provider = await startModelProvider();
  atEndOfFile(() => provider.close());
  await offerModel(me, provider, price);
  return provider;
}

export async function offerModel(me: Client, { baseUrl }: ModelProvider, price = 1_000): Promise<void> {
  const models = [{ name: 'large', input_price: price, output_price: price, max_output_tokens: 100 }];
  const acme = { name: 'acme', kind: 'openai_compatible', base_url: baseUrl, api_key: 'sk-secret', models };
  const { status } = await me.put('/org/main/inference/providers', { providers: [acme] });
  expect(status).toBe(200);
}
