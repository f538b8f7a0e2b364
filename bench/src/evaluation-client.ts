/** Publishes the benchmark task and runs evaluations of it over HTTP. */
import { setTimeout as sleep } from 'node:timers/promises';

export const COMMAND = 'echo 42 > /workspace/result.txt; echo done';
const VERIFY = 'test "$(cat /workspace/result.txt)" = 42\n';
const MAX_REPETITIONS = 16;
const POLL_INTERVAL_MS = 50;

interface Evaluation {
  readonly id: string;
  readonly status: string;
  readonly passed_count: number;
}

export class EvaluationClient {
  readonly #origin: string;
  readonly #apiKey: string;

  constructor(origin: string, apiKey: string) {
    this.#origin = origin;
    this.#apiKey = apiKey;
  }

  async publishTask(): Promise<void> {
    const place = '/org/main/tasks/bench/1.0.0';
    const file = new TextEncoder().encode(VERIFY);
    const sha256 = Buffer.from(await crypto.subtle.digest('SHA-256', file)).toString('hex');
    const manifest = {
      name: 'bench',
      version: '1.0.0',
      instruction: `Run this:\n\n\`\`\`sh\n${COMMAND}\n\`\`\`\n`,
      verification: { method: 'script', script: 'verify.sh' },
    };
    const files = [{ path: 'verify.sh', size_bytes: file.length, sha256 }];
    const upload = await this.#call<{ files: { url: string | null }[] }>('POST', `${place}/uploads`, {
      manifest,
      files,
    });
    for (const { url } of upload.files) if (url) await fetch(url, { method: 'PUT', body: file });
    await this.#call('POST', `${place}/complete`);
  }

  /** Resolves with the evaluation's id when all samples have passed. */
  async evaluate(samples: number, concurrency: number): Promise<string> {
    const repetitions = samples % MAX_REPETITIONS === 0 ? MAX_REPETITIONS : 1;
    const { id } = await this.#call<Evaluation>('POST', '/org/main/ws/main/evaluation', {
      name: 'bench',
      model: 'sim/tool-user',
      task_names: Array.from({ length: samples / repetitions }, () => 'bench'),
      repetitions,
      concurrency,
    });
    for (;;) {
      const { status, passed_count } = await this.#call<Evaluation>(
        'GET',
        `/org/main/ws/main/evaluation/${id}`,
      );
      if (status === 'completed' && passed_count === samples) return id;
      if (status !== 'queued' && status !== 'running')
        throw new Error(`the evaluation is ${status}, and ${passed_count} of ${samples} samples have passed`);
      await sleep(POLL_INTERVAL_MS);
    }
  }

  async #call<Body>(method: string, path: string, body?: object): Promise<Body> {
    const response = await fetch(`${this.#origin}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#apiKey}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Body;
  }
}
