/** Writers of one session in several processes, which only the session's lock keeps apart. */
import { describe, expect, test } from 'vitest';
import { Random } from '../../../fuzz/random.ts';
import { startTestServer } from '../../../test/harness.ts';
import { auditTranscript } from '../../../test/session-audit.ts';
import { saveSession, user } from '../../../test/transcripts.ts';
import { ApiError } from '../../platform/errors.ts';
import { appendTranscript } from './append.ts';
import { compactTranscript } from './compact.ts';
import { rewindSession } from './rewind.ts';
import { getTranscript } from './transcript-page.ts';

const server = await startTestServer();
const { owner, db } = server;
const client = server.as(owner);
const organizationId: string = (await client.get('/org/main')).body.id;
const workspaceId: string = (await client.get('/org/main/ws/main')).body.id;
const principal = { userId: owner.id, isPlatformAdmin: false, apiKey: undefined, loginId: undefined };
const viewer = { organizationId, workspaceId, principal };
const place = { send: (_: string, path: string) => client.get(`/org/main/ws/main${path}`) };

const message = (id: string) => ({ id, role: 'user' as const, content: id });
type Given = Parameters<typeof appendTranscript>[3]['messages'];

/**
 * Bypasses the queue of this process.
 * @returns the response, or the status of the refusal
 */
async function append(sessionId: string, messages: Given) {
  try {
    return await appendTranscript(db, viewer, sessionId, { messages });
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
}

describe('concurrent writers', () => {
  test('concurrent appends of the same ids in any order store each once and return the same numbers', async () => {
    const random = new Random('contention', 'ids');
    for (let round = 0; round < 15; round++) {
      const { id } = await saveSession(client);
      const known = Array.from({ length: 12 }, (_, index) => `m-${index}`);
      const requests = Array.from({ length: 8 }, () =>
        known
          .filter(() => random.chance(0.6))
          .map((name) => ({ name, at: random.fraction() }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ name }) => message(name)),
      ).filter((messages) => messages.length > 0);
      const responses = await Promise.all(requests.map((messages) => append(id, messages)));
      const stored = await auditTranscript(place, id);
      const seqs = new Map(stored.map((row) => [row.id, row.seq]));
      for (const [index, response] of responses.entries()) {
        const expected = requests[index]?.map((given) => ({ id: given.id, seq: seqs.get(given.id) }));
        expect(response).toMatchObject({ messages: expected });
      }
      expect(new Set(seqs.keys())).toEqual(new Set(requests.flat().map((given) => given.id)));
    }
  });

  test('concurrent compactions begin one era', async () => {
    for (let round = 0; round < 5; round++) {
      const { id, append: say } = await saveSession(client);
      await say([user('a'), user('b')]);
      const summary = { ...message('summary'), content: 'In short' };
      const compact = () => compactTranscript(db, viewer, id, { up_to_seq: 2, summary });
      const made = await Promise.all(Array.from({ length: 6 }, compact));
      expect(made.filter(({ isNew }) => isNew)).toHaveLength(1);
      const stored = await auditTranscript(place, id);
      expect(stored.map((row) => [row.seq, row.era, row.compacted_up_to_seq])).toEqual([
        [1, 0, null],
        [2, 0, null],
        [3, 1, 2],
      ]);
    }
  });

  test.each(['freeze', 'archive', 'delete'])(
    '%s: everything that was acknowledged is stored, and nothing else',
    async (what) => {
      for (let round = 0; round < 5; round++) {
        const { id, path } = await saveSession(client);
        const appends = Array.from({ length: 12 }, (_, index) => append(id, [message(`m-${index}`)]));
        const ended = what === 'delete' ? client.delete(path) : client.post(`${path}/${what}`);
        const responses = await Promise.all(appends);
        expect((await ended).status).toBeLessThan(300);
        const taken = responses.filter((response) => typeof response === 'object');
        const refusals = new Set(responses.filter((response) => typeof response === 'number'));
        const refusal = { freeze: 409, archive: 0, delete: 404 }[what];
        expect([...refusals].filter((status) => status !== refusal)).toEqual([]);
        if (what === 'delete') expect((await client.get(path)).status).toBe(404);
        else expect(await auditTranscript(place, id)).toHaveLength(taken.length);
      }
      const left = await db
        .selectFrom('event_streams as e')
        .leftJoin('sessions as s', (on) =>
          on.onRef('s.organization_id', '=', 'e.organization_id').onRef('s.id', '=', 'e.id'),
        )
        .select('e.id')
        .where('e.organization_id', '=', organizationId)
        .where('s.id', 'is', null)
        .execute();
      expect(left).toEqual([]);
    },
  );

  test('a page and its session come from one snapshot while messages are rewound and appended again', async () => {
    const { id } = await saveSession(client);
    const over = new AbortController();
    const write = async () => {
      for (let round = 1; round <= 60; round++) {
        await append(
          id,
          Array.from({ length: 1 + (round % 7) }, (_, index) => message(`${round}-${index}`)),
        );
        if (round < 60) await rewindSession(db, viewer, id, { from_seq: 1 });
      }
      over.abort();
    };
    const read = async () => {
      while (!over.signal.aborted) {
        const query = { after_seq: 0, limit: 500, include_compacted: true };
        const page = await getTranscript(db, viewer, id, query);
        const last = page.messages.at(-1);
        expect(page.messages).toHaveLength(page.session.message_count);
        expect([page.session.last_message_at, page.has_more]).toEqual([last?.created_at ?? null, false]);
        expect(page.session.preview_text).toBe(page.messages[0]?.content ?? null);
      }
    };
    await Promise.all([write(), read(), read(), read()]);
  });
});
