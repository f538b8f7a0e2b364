/** Documents that fit the schema but are otherwise inconsistent: they are imported, repaired, and unchanged from then on. */
import { expect, test } from 'vitest';
import { findViolations } from '../../../test/atif.ts';
import { findMistakes } from '../../../test/chat-completions.ts';
import { startTestServer } from '../../../test/harness.ts';
import { hostileTrajectory } from '../../../test/hostile-trajectories.ts';

const server = await startTestServer();
const owner = server.as(server.owner);
const SESSIONS = '/org/main/ws/main/sessions';
const ROUNDS = 60;

async function imported(document: unknown, why: string) {
  const { status, body } = await owner.post(`${SESSIONS}/import`, document);
  expect(status, `${JSON.stringify(body)} ${why}`).toBe(201);
  return body;
}

async function exported(id: string, query: string) {
  const { status, body } = await owner.get(`${SESSIONS}/${id}/trajectory?${query}`);
  expect(status).toBe(200);
  const { session_id: _id, trajectory_id: _trajectory, metadata, ...document } = body;
  return metadata ? { ...document, metadata: { ...metadata, session_id: 'an id' } } : document;
}

/** The totals that a document declares are not checked. */
const isOfTotals = (violation: string) => violation.includes('.total_');

test.each([true, false])(
  'imported hostile documents export to valid documents that import without changes, all eras %s',
  async (all) => {
    for (let round = 0; round < ROUNDS; round++) {
      const given = hostileTrajectory(`${all} ${round}`);
      const why = JSON.stringify(given);
      const session = await imported(given, why);
      expect(session).toMatchObject({
        visibility: 'private',
        user_id: server.owner.id,
        origin: 'user',
        group_id: null,
      });
      for (const format of ['atif', 'openai']) {
        const query = `format=${format}&include_compacted=${all}`;
        const document = await exported(session.id, query);
        const mistakes =
          format === 'atif'
            ? findViolations(document).filter((violation) => !isOfTotals(violation))
            : findMistakes(document.messages);
        expect(mistakes, why).toEqual([]);
        const again = await exported((await imported(document, why)).id, query);
        expect(again, why).toEqual(document);
      }
    }
  },
  600_000,
);
