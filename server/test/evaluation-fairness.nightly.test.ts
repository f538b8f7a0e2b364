/** Two organizations with equal evaluations at the same time: neither waits for the other. */
import { expect, test } from 'vitest';
import { bundle } from './bundles.ts';
import { startEvaluationWorld } from './evaluation-world.ts';
import { addOrganization } from './other-organization.ts';

const ROWS = 500;

test('two organizations with 500 samples each end within 10 % of each other', {
  timeout: 600_000,
}, async () => {
  const { server } = await startEvaluationWorld();
  const rival = await server.addPerson('rival');
  await addOrganization(server, rival, 'rival');
  const owners = [
    { client: server.as(server.owner), org: 'main' },
    { client: server.as(rival), org: 'rival' },
  ];
  const rows = Array.from({ length: ROWS }, (_, index) => JSON.stringify({ a: `row ${index}` })).join('\n');
  const ids: string[] = [];
  for (const { client, org } of owners) {
    await client.put(
      `/org/${org}/datasets/rows/1.0.0`,
      bundle({ 'dataset.yaml': 'summary: x\n', 'data.jsonl': rows }),
    );
    const dataset = { name: 'rows', version: '1.0.0', input: 'a', expected: 'a' };
    const request = {
      name: 'fair',
      model: 'sim/echo',
      dataset,
      scorers: [{ type: 'exact' }],
      concurrency: 8,
    };
    const created = await client.post(`/org/${org}/ws/main/evaluation`, request);
    expect(created).toMatchObject({ status: 201 });
    ids.push(created.body.id);
  }
  const seconds: number[] = [];
  for (const [index, { client, org }] of owners.entries()) {
    const get = async () => (await client.get(`/org/${org}/ws/main/evaluation/${ids[index]}`)).body;
    await expect
      .poll(async () => (await get()).status, { timeout: 300_000, interval: 200 })
      .toBe('completed');
    const { started_at, completed_at, passed_count } = await get();
    expect(passed_count).toBe(ROWS);
    seconds.push((Date.parse(completed_at) - Date.parse(started_at)) / 1_000);
  }
  const [a = 0, b = 0] = seconds;
  console.info(`${ROWS} samples each took ${a} s and ${b} s`);
  expect(Math.abs(a - b) / Math.max(a, b)).toBeLessThanOrEqual(0.1);
});
