/** Lists of the red team read rows of their workspace, project or assessment alone, however many others have. */
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { insertAssessmentRows } from '../../test/airt-rows.ts';
import { openEvaluations } from '../../test/evaluation-rows.ts';
import { countBlocks, explainWork } from '../../test/query-plans.ts';
import { uuidv7 } from '../platform/uuid.ts';
import { getAnalytics } from './analytics/analytics.ts';
import { getProjectSummary } from './analytics/project-summary.ts';
import { getAssessment, listAssessments } from './assessments/store.ts';
import { FindingListQuery } from './findings/schema.ts';
import { getFinding, listAssessmentFindings, listProjectFindings } from './findings/store.ts';
import { TrialListQuery } from './trials/schema.ts';
import { listTrials } from './trials/store.ts';

const OWN = 30;
const OTHERS = 2_000;

const { db, url, place } = await openEvaluations();
const { organizationId, workspaceId } = place;
const otherWorkspaceId = uuidv7();
const [projectId, otherProjectId] = [uuidv7(), uuidv7()];
let [assessmentId, findingId, userId] = ['', '', ''];

async function add(count: number, isOwn: boolean): Promise<void> {
  const where = { organizationId, workspaceId: isOwn ? workspaceId : otherWorkspaceId, createdBy: userId };
  for (let number = 0; number < count; number++)
    await insertAssessmentRows(db, where, {
      text: `goal ${number}`,
      projectId: isOwn ? projectId : otherProjectId,
    });
}

const TABLES = ['airt_assessments', 'airt_findings', 'airt_trials', 'airt_finding_reviews'];
const analyze = () => sql`ANALYZE ${sql.join(TABLES.map((name) => sql.table(name)))}`.execute(db);

const query = (given: object = {}) => FindingListQuery.parse(given);

const works = [
  (on: typeof db) => listAssessments(on, place, { page: 1, page_size: 20 }),
  (on: typeof db) => getAssessment(on, place, assessmentId),
  (on: typeof db) => listAssessmentFindings(on, place, assessmentId, query()),
  (on: typeof db) => listProjectFindings(on, place, projectId, query()),
  (on: typeof db) =>
    listProjectFindings(on, place, projectId, query({ sort_by: 'created_at', severity: 'high' })),
  (on: typeof db) => getFinding(on, place, findingId),
  (on: typeof db) => listTrials(on, place, assessmentId, TrialListQuery.parse({})),
  (on: typeof db) => getAnalytics(on, { organizationId, id: assessmentId }),
  (on: typeof db) => getProjectSummary(on, place, projectId),
];

beforeAll(async () => {
  const { rows } = await sql<{ created_by: string }>`
    SELECT created_by FROM workspaces WHERE organization_id = ${organizationId} AND id = ${workspaceId}`.execute(
    db,
  );
  userId = rows[0]?.created_by ?? '';
  await sql`
    INSERT INTO workspaces
    SELECT (jsonb_populate_record(w, jsonb_build_object('id', ${otherWorkspaceId}::text, 'key', 'other', 'is_default', false))).*
      FROM workspaces AS w WHERE organization_id = ${organizationId} AND id = ${workspaceId}`.execute(db);
  await sql`
    INSERT INTO projects (organization_id, id, workspace_id, created_by, key, name)
    VALUES (${organizationId}, ${projectId}, ${workspaceId}, ${userId}, 'own', 'Own')`.execute(db);
  await add(OWN, true);
  await add(OTHERS, false);
  const { rows: found } = await sql<{ id: string; assessment_id: string }>`
    SELECT id, assessment_id FROM airt_findings WHERE organization_id = ${organizationId} AND project_id = ${projectId} LIMIT 1`.execute(
    db,
  );
  assessmentId = found[0]?.assessment_id ?? '';
  findingId = found[0]?.id ?? '';
  await analyze();
});

test('reads of the red team use indexes', async () => {
  for (const work of works)
    expect((await explainWork({ db, url }, work)).join('\n')).not.toMatch(/Seq Scan on airt/);
});

test('reads of the red team take as many blocks when others have more', async () => {
  const count = async () => {
    const counts: number[] = [];
    for (const work of works) counts.push(await countBlocks({ db, url }, work));
    return counts;
  };
  const before = await count();
  await add(3 * OTHERS, false);
  await analyze();
  for (const [index, blocks] of (await count()).entries())
    expect(blocks, `work ${index}`).toBeLessThanOrEqual((before[index] ?? 0) * 1.5 + 20);
});
