/** The guide to optimization jobs, pasted, against a real server with a worker and real sandboxes. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { OptimizationJobConfig } from '../src/optimization/config-schema.ts';
import { startEvaluationWorld, W } from './evaluation-world.ts';
import { JOBS } from './optimization-world.ts';

const ROOT = join(import.meta.dirname, '../..');
const ORIGIN = 'http://127.0.0.1:8080';
const run = promisify(execFile);

const { server, me, ended } = await startEvaluationWorld();
const origin = await server.app.listen({ host: '127.0.0.1', port: 0 });
const folder = mkdtempSync(join(tmpdir(), 'drydock-guide-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const guide = readFileSync(join(ROOT, 'docs/guides/improve-an-agent.md'), 'utf8');

test('the commands of the guide improve an agent when they are pasted', { timeout: 600_000 }, async () => {
  const helperOf = (name: string) => new RegExp(`^${name}\\(\\) .*?; }$`, 'ms').exec(readme)?.[0] ?? '';
  const script = [
    'set -euo pipefail',
    helperOf('drydock').replace('curl -sS', 'curl -sS --fail-with-body'),
    helperOf('publish').replace('curl -sS', 'curl -sS --fail-with-body'),
    ...[...guide.matchAll(/^```sh\n(.*?)^```/gms)].map(([, code = '']) => code),
  ]
    .join('\n')
    .replaceAll(ORIGIN, origin);
  const env = { PATH: process.env.PATH, DRYDOCK_API_KEY: server.owner.key };
  const { stdout } = await run('bash', ['-c', script], { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 });
  expect(stdout).toContain('"metric_calls_floor":54');
  expect(stdout).toContain('lineage:');

  const { items } = (await me.get(JOBS)).body;
  const [retried, onTasks, first] = items;
  expect(first).toMatchObject({
    name: 'first',
    status: 'completed',
    summary: { metadata: { seed_score: 0, holdout_size: 6 } },
  });
  expect(first.summary.metadata.holdout_score).toBeGreaterThan(0);
  expect(onTasks).toMatchObject({
    name: 'on tasks',
    status: 'completed',
    summary: { best_score: 1, metadata: { seed_score: 0 } },
  });
  expect(retried).toMatchObject({
    status: 'completed',
    retry_of: first.id,
    summary: { best_score: first.summary.best_score, best_candidate: first.summary.best_candidate },
  });

  const evaluations = (await me.get(`${W}/evaluations`)).body.items;
  const scores: Record<string, unknown> = {};
  for (const { id, name } of evaluations) scores[name] = (await ended(id)).mean_score;
  expect(scores).toEqual({ 'assistant 1.0.0': 0, 'assistant 1.1.0': 1 });
});

test('the guide names every setting of a job', () => {
  const named = new Set([...guide.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name));
  const ignored = new Set(['track_best_outputs', 'display_progress_bar']);
  const settings = Object.keys(OptimizationJobConfig.shape).filter((name) => !ignored.has(name));
  expect(settings.filter((name) => !named.has(name))).toEqual([]);
});
