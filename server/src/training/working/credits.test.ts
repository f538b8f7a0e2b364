/** Training jobs of an organization without credits. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { addOrganization } from '../../../test/other-organization.ts';
import { insertTrainingJob } from '../../../test/training-rows.ts';
import { JOBS, START, startTrainingWorld } from '../../../test/training-world.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { createLog } from '../../platform/log.ts';
import { adjust } from '../../platform/metering/credits.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { TrainerSupervisor } from '../local-trainer/supervisor.ts';

const world = await startTrainingWorld({ DRYDOCK_CREDITS: 'enforced' });
const { server, me, create, getJob } = world;
const { db, owner } = server;
const trainer = await world.newTrainer();

async function setBalance(balance: number) {
  const { body } = await me.get('/org/main/credits');
  if (balance === body.balance) return;
  const change = { amount: balance - body.balance, reason: 'test' };
  expect((await me.post('/org/main/credits/adjust', change)).status).toBe(201);
}

test('claimTrainingJob gives no job while the organization has no credits, and the job says why', async () => {
  await setBalance(0);
  const id = await create();
  expect((await trainer.claim()).body).toEqual({ job: null });
  const waiting_reason = expect.stringContaining('no credits');
  expect(await getJob(id)).toMatchObject({ status: 'queued', attempt: 0, error: null, waiting_reason });
  expect((await me.get(JOBS)).body.items).toMatchObject([{ id, waiting_reason }]);
  await setBalance(1_000);
  expect(await getJob(id)).toMatchObject({ status: 'queued', waiting_reason: null });
  const job = await trainer.claimJob();
  expect(job).toMatchObject({ id, attempt: 1 });
  await trainer.report(job, [START, { type: 'training_error', kind: 'error', message: 'end' }]);
});

test('the trainer beside the server is started for a job that can be paid for, though others wait longer', async () => {
  await setBalance(0);
  await create();
  await sql`
    UPDATE training_jobs /* of every organization */ SET created_at = now() - interval '1 day' WHERE status = 'queued'`.execute(
    db,
  );
  const organizationId = await addOrganization(server, owner, 'payer');
  const reference = uuidv7();
  await transaction(db, (trx) =>
    adjust(trx, { organizationId, reference, amount: 10, actorId: owner.id, note: null }),
  );
  const workspace = await db
    .selectFrom('workspaces')
    .select('id')
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  const place = { organizationId, workspaceId: workspace.id, createdBy: owner.id };
  const id = await insertTrainingJob(db, place, { text: 'paid', projectId: null });
  await sql`
    UPDATE training_jobs SET status = 'queued', created_at = now() - interval '1 hour'
     WHERE organization_id = ${organizationId} AND id = ${id}`.execute(db);
  const folder = mkdtempSync(join(tmpdir(), 'drydock-supervisor-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const python = join(folder, 'python');
  writeFileSync(python, `#!/bin/sh\necho "$@" >> ${folder}/started\n`);
  chmodSync(python, 0o755);
  const program = { python, workFolder: folder, environment: { PATH: '/usr/bin:/bin' } };
  const log = createLog('fatal');
  const supervisor = new TrainerSupervisor({ db, log, program, url: 'http://server', credits: 'enforced' });
  onTestFinished(() => supervisor.stop());
  // The shell creates the file before it writes.
  const started = () => existsSync(join(folder, 'started')) && readFileSync(join(folder, 'started'), 'utf8');
  await expect.poll(started, { timeout: 60_000 }).toMatch(/ --org payer .*\n/);
});
