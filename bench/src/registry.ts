/** Lists of 100,000 models in 50 organizations: HTTP against the bare statements, through the same pool. */
import { deepStrictEqual } from 'node:assert';
import { parseArgs } from 'node:util';
import { selectPage } from '@drydock/server/src/registry/artifacts/list.ts';
import { LIST_QUERIES } from '@drydock/server/src/registry/artifacts/list-query.ts';
import { ListPlans, publicOnes, ROWS_OF_OTHERS } from './list-plans.ts';
import { type ListWorld, readQuery, startListWorld } from './list-world.ts';
import { bareStatements, MODEL_LISTS, type ModelList } from './model-lists.ts';
import { insertModels, publishModels } from './model-rows.ts';
import { type ComparedCalls, compareCalls, SINGLE_CALLS_HEADER } from './single-calls.ts';
import { printTable } from './table.ts';

const MAX_RATIO = 3;
/** Number of models in every other organization; 100,000 in total at the last size. */
const SCALES = [20, 200, 2_000];
const OWN_MODELS = 2_000;
/** Number of public models in all other organizations, at the last size. */
const PUBLIC = [980, 19_600] as const;

export async function benchRegistry(args: string[], undo: AsyncDisposableStack): Promise<boolean> {
  const { values } = parseArgs({ args, options: { rounds: { type: 'string', default: '40' } } });
  const world = await startListWorld(undo);
  const isIndependent = await explainLists(world);
  const compared: ComparedCalls[] = [];
  for (const list of MODEL_LISTS) compared.push(await compareList(world, list, Number(values.rounds)));
  console.log('\nMedians of single calls, one after the other\n');
  printTable([SINGLE_CALLS_HEADER, ...compared.map(({ row }) => row)]);
  const isProportional = await explainPublic(world);
  return isIndependent && isProportional && compared.every(({ isKept }) => isKept);
}

/** The public models stay the same at all sizes, since they are part of the result. */
async function explainLists(world: ListWorld): Promise<boolean> {
  const plans = new ListPlans(ROWS_OF_OTHERS);
  await insertModels(world, { of: 'main', from: 0, to: OWN_MODELS });
  let from = 0;
  for (const to of SCALES) {
    await insertModels(world, { of: 'others', from, to });
    from = to;
    for (const { title, query } of MODEL_LISTS) await plans.add(world.pool, title, statementOf(world, query));
  }
  return plans.report();
}

async function explainPublic(world: ListWorld): Promise<boolean> {
  const plans = new ListPlans(publicOnes(...PUBLIC));
  for (const count of PUBLIC) {
    await publishModels(world, count);
    await plans.add(world.pool, 'with public ones', statementOf(world, 'include_public=true'));
  }
  return plans.report();
}

/** Returns the statement that the server builds for this query. */
function statementOf({ db, scope }: ListWorld, query: string) {
  return selectPage(scope, 'model', readQuery(LIST_QUERIES.model, query)).compile(db);
}

async function compareList({ pool, send, scope }: ListWorld, list: ModelList, rounds: number) {
  const statements = bareStatements(list);
  const values = [scope.organizationId, scope.principal.userId];
  const bare = async () => {
    const [page, count] = [
      await pool.query(statements[0] ?? '', values),
      await pool.query(statements[1] ?? '', values),
    ];
    return { ids: page.rows.map(({ id }) => id), total: count.rows[0].total };
  };
  const ours = () => send('GET', `/models?${list.query}`);
  const { models, total } = JSON.parse(await ours()) as { models: { id: string }[]; total: number };
  const received = { ids: models.map(({ id }) => id), total };
  deepStrictEqual(received, await bare(), `${list.title}: the two do not answer the same`);
  return compareCalls(list.title, bare, ours, { rounds, maxRatio: MAX_RATIO });
}
