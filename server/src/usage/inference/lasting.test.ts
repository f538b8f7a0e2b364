/** Usage of spans is kept when the spans are deleted, for whatever reason. */
import { expect, test } from 'vitest';
import { type Person, startTestServer } from '../../../test/harness.ts';
import { type ModelSpan, randomHex, spansOf } from '../../../test/metered-calls.ts';
import { findOrganizationId } from '../../../test/other-organization.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { traceCleanUps } from '../../traces/retention/clean-ups.ts';

const server = await startTestServer();
const { db, owner } = server;
const organizationId = await findOrganizationId(server, 'main');
const client = server.as(owner);
const DAY_MS = 86_400_000;

/** Creates a user for one test, without other usage. */
let count = 0;
const newcomer = () => server.addPerson(`person-${count++}`, { role: 'member' });

const callSpan = (span: Partial<ModelSpan> = {}): ModelSpan => ({
  traceId: randomHex(16),
  spanId: randomHex(8),
  startUs: BigInt(Date.now()) * 1_000n,
  model: 'm',
  inputTokens: 10,
  outputTokens: 1,
  ...span,
});

const send = async (who: Person, span: ModelSpan) =>
  expect(await server.as(who).post('/org/main/otel/traces', spansOf([span]))).toMatchObject({
    status: 200,
    body: {},
  });

async function sweep(at = new Date()): Promise<void> {
  for (const { run } of traceCleanUps(() => at)) await run(db);
}

const spansLeft = async ({ id }: Person) =>
  (
    await db
      .selectFrom('spans')
      .select('name')
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', id)
      .execute()
  ).length;

/** Checks that the call still counts without its span, and is not counted again when the span is resent. */
async function expectLasting(who: Person, span: ModelSpan, remove: () => Promise<void>): Promise<void> {
  const usage = async () => {
    const from = '2020-01-01T00:00:00Z';
    const { body } = await server.as(who).get(`/org/main/credits/inference-usage?start_date=${from}`);
    return [body.total_request_count, body.total_input_tokens];
  };
  await send(who, span);
  expect([await spansLeft(who), await usage()]).toEqual([1, [1, 10]]);
  await remove();
  expect([await spansLeft(who), await usage()]).toEqual([0, [1, 10]]);
  await send(who, { ...span, workspace: 'main' });
  expect(await usage()).toEqual([1, 10]);
}

test('usage is kept when the workspace is deleted', async () => {
  const mia = await newcomer();
  expect((await client.post('/org/main/ws', { key: 'brief', name: 'Brief' })).status).toBe(201);
  await expectLasting(mia, callSpan({ workspace: 'brief' }), async () => {
    expect((await client.delete('/org/main/ws/brief')).status).toBe(204);
  });
});

test('usage is kept when the session is deleted', async () => {
  const mia = await newcomer();
  const session = { id: uuidv7(), model: 'm' };
  expect((await server.as(mia).post('/org/main/ws/main/sessions', session)).status).toBe(201);
  await expectLasting(mia, callSpan({ sessionId: session.id }), async () => {
    expect((await server.as(mia).delete(`/org/main/ws/main/sessions/${session.id}`)).status).toBe(204);
    await sweep();
  });
});

test('usage is kept when spans exceed their retention', async () => {
  const mia = await newcomer();
  await expectLasting(mia, callSpan(), () => sweep(new Date(Date.now() + 400 * DAY_MS)));
});
