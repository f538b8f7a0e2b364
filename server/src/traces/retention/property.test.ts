/** Property test: for any sequence of arrivals, expirations and deletions, everything to keep is kept, and everything else is removed. */
import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { addOrganization, findOrganizationId } from '../../../test/other-organization.ts';
import {
  expectAgreement,
  type Owner,
  spanId,
  store,
  traceId,
  whereSpansLie,
} from '../../../test/span-store.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { traceCleanUps } from './clean-ups.ts';
import { DAY_MS, dayOf, plusDays } from './days.ts';

const ROUNDS = 60;
const server = await startTestServer();
const { db, owner } = server;

interface Kept {
  readonly place: Owner;
  readonly start: Date;
  readonly receivedAt: Date;
  readonly sessionId: string | null;
}

/** A small seeded generator, so that failures are reproducible. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

async function placeIn(organizationId: string): Promise<Owner> {
  const query = db.selectFrom('workspaces').select('id').where('organization_id', '=', organizationId);
  return { organizationId, workspaceId: (await query.executeTakeFirstOrThrow()).id, userId: owner.id };
}

const seed = Number(process.env.DRYDOCK_TEST_SEED ?? Date.now() % 100_000);

test(`retention holds for any sequence of events (seed ${seed})`, async () => {
  const below = random(seed);
  const pick = <T>(values: readonly T[]) => values[below(values.length)] as T;
  const places = [
    await placeIn(await findOrganizationId(server, 'main')),
    await placeIn(await addOrganization(server, owner, 'other')),
  ];
  const retention = new Map(places.map(({ organizationId }) => [organizationId, 30]));
  const traces = Array.from({ length: 12 }, traceId);
  const sessions = [null, ...Array.from({ length: 3 }, () => uuidv7())];
  const spans = new Map<string, Kept>();
  let now = new Date();
  let cleanUps = traceCleanUps(() => now);

  const ingest = async () => {
    const place = pick(places);
    const ages = [0, 0, 0.5, 1, 2, 6, 12, 29, 40, 400, -3, -9, 20_000, -200_000];
    const made = Array.from({ length: 1 + below(30) }, () => {
      const sessionId = pick(sessions);
      const start = new Date(now.getTime() - pick(ages) * DAY_MS - below(1_000));
      return {
        traceId: pick(traces),
        spanId: spanId(),
        start,
        sessionId,
        tokens: below(9),
        isError: below(4) === 0,
      };
    });
    await store(db, place, made, { receivedAt: now });
    for (const { spanId: id, start, sessionId } of made)
      spans.set(id.toString('hex'), { place, start, receivedAt: now, sessionId });
  };
  const keepFor = async () => {
    const [{ organizationId }, days] = [pick(places), pick([1, 3, 7, 30, 365])];
    retention.set(organizationId, days);
    await db
      .updateTable('organizations')
      .set({ trace_retention_days: days })
      .where('id', '=', organizationId)
      .execute();
  };
  const deleteSession = async () => {
    const [place, id] = [places[0] as Owner, pick(sessions.slice(1)) as string];
    const deleted_at = now.toISOString();
    await transaction(db, (trx) =>
      trx
        .insertInto('session_deletions')
        .values({
          organization_id: place.organizationId,
          workspace_id: place.workspaceId,
          session_id: id,
          user_id: place.userId,
          deleted_at,
        })
        .onConflict((on) => on.constraint('session_deletions_key').doUpdateSet({ deleted_at }))
        .execute(),
    );
    for (const [key, kept] of spans) if (kept.place === place && kept.sessionId === id) spans.delete(key);
    // A deletion is remembered for a day, and spans that arrive within it are deleted as well.
    sessions.splice(sessions.indexOf(id), 1, uuidv7());
  };
  const sweep = async () => {
    if (below(3) === 0) cleanUps = traceCleanUps(() => now);
    for (const { run } of cleanUps) await run(db);
    await expectAgreement(db);
    await check();
  };
  const check = async () => {
    const left = await whereSpansLie(db);
    for (const [id, { place, start, receivedAt }] of spans) {
      const days = retention.get(place.organizationId) as number;
      const isOldDay = dayOf(start) < plusDays(dayOf(now), -days);
      const isOldReceipt = receivedAt.getTime() < now.getTime() - days * DAY_MS;
      // Spans may be kept or gone on the day on which they expire.
      const isWellOver = receivedAt.getTime() < now.getTime() - (days + 1) * DAY_MS;
      if (left.has(id)) expect(isOldDay && isWellOver, `${id} is kept too long`).toBe(false);
      else {
        expect(isOldDay || isOldReceipt, `${id} of ${start.toISOString()} is lost`).toBe(true);
        spans.delete(id);
      }
    }
    expect([...left.keys()].filter((id) => !spans.has(id))).toEqual([]);
  };
  const pass = async () => {
    now = new Date(now.getTime() + pick([0.01, 0.3, 1, 1, 2, 5, 20]) * DAY_MS);
  };
  for (let round = 0; round < ROUNDS; round++)
    await pick([ingest, ingest, ingest, keepFor, deleteSession, pass, pass, sweep, sweep])();
  await sweep();
});
