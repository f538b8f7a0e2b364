/** What training leaves behind, and what removes it. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { findOrganizationId } from '../../test/other-organization.ts';
import {
  ADAPTER,
  BASE_FILES,
  JOBS,
  publish,
  START,
  savedAt,
  startTrainingWorld,
  stepOf,
  W,
} from '../../test/training-world.ts';
import { findServed } from '../inference/served/store.ts';
import { deleteAbandonedObjects } from '../platform/object-storage/abandoned-prefixes.ts';
import { trainingPrefix } from './checkpoint-store.ts';
import { trainingCleanUps } from './clean-ups.ts';

const world = await startTrainingWorld();
const { server, me, create } = world;
const { db, storage } = server;
const trainer = await world.newTrainer();
const organizationId = await findOrganizationId(server, 'main');

/** Runs the clean-ups long after, as the sweeper does: objects are deleted once no upload to them can be under way. */
async function sweepLater() {
  for (const { run } of trainingCleanUps) await run(db);
  await sql`UPDATE abandoned_prefixes /* of every organization */ SET abandoned_at = now() - interval '1 day'`.execute(
    db,
  );
  await deleteAbandonedObjects(storage).run(db);
}

async function countObjects(id: string) {
  let count = 0;
  for await (const _ of storage.list(trainingPrefix({ organizationId, id }))) count++;
  return count;
}

test('trainingCleanUps deletes parts of checkpoints that were never completed, and keeps complete ones', async () => {
  const id = await create();
  const job = await trainer.claimJob();
  const files = Object.keys(ADAPTER).length;
  await trainer.upload(job, 1);
  await trainer.upload(job, 1);
  await trainer.report(job, [START, stepOf(1), savedAt(1)]);
  await trainer.upload(job, 2);
  expect(await countObjects(id)).toBe(3 * files);
  await sweepLater();
  // The first announcement of step 1 is gone. Step 2 can still be completed, since its attempt runs.
  expect(await countObjects(id)).toBe(2 * files);
  await trainer.report(job, [{ type: 'training_error', kind: 'error', message: 'end' }], 4);
  await sweepLater();
  expect(await countObjects(id)).toBe(files);
  expect((await me.get(`${JOBS}/${id}/checkpoints`)).body.items).toMatchObject([{ step: 1 }]);
  expect((await me.post(`${JOBS}/${id}/checkpoints/1/publish`)).status).toBe(201);
});

test('trainingCleanUps forgets trainers that are unseen for a day, unless they have a job', async () => {
  await create();
  const job = await trainer.claimJob('busy');
  await trainer.claim('gone');
  await sql`UPDATE training_workers /* of every organization */ SET seen_at = now() - interval '25 hours'`.execute(
    db,
  );
  await trainer.claim('fresh');
  await sweepLater();
  const { workers } = (await me.get(`${W}/training/backends`)).body;
  expect(workers.map(({ name }: { name: string }) => name).toSorted()).toEqual(['busy', 'fresh']);
  await trainer.report(job, [{ type: 'training_error', kind: 'error', message: 'end' }]);
});

test('deleteModelVersion ends the serving of the version and takes it off the list', async () => {
  await publish(me, 'models/served/1.0.0', BASE_FILES);
  await sql`
    INSERT INTO served_models (organization_id, model, version, version_id, created_by)
    SELECT v.organization_id, 'served', '1.0.0', v.id, ${server.owner.id}
      FROM artifact_versions AS v JOIN artifacts AS a ON a.organization_id = v.organization_id AND a.id = v.artifact_id
     WHERE v.organization_id = ${organizationId} AND a.name = 'served'`.execute(db);
  expect((await me.get('/org/main/served-models')).body).toMatchObject([{ id: 'local/served@1.0.0' }]);
  expect((await me.delete('/org/main/models/served/1.0.0')).status).toBe(204);
  expect((await me.get('/org/main/served-models')).body).toEqual([]);
  expect(await findServed(db, organizationId, 'served@1.0.0')).toBeUndefined();
  await sweepLater();
  const { rows } = await sql`SELECT FROM served_models WHERE organization_id = ${organizationId}`.execute(db);
  expect(rows).toEqual([]);
});
