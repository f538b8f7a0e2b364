/** Measures what the statement of a list reads while other organizations get a hundred times as many rows. */
import pg from 'pg';
import { median } from './statistics.ts';
import { printTable, verdict } from './table.ts';

const ROUNDS = 5;
/** PostgreSQL plans a statement for its values five times, and then considers a generic plan. */
const ROUNDS_TO_CHOOSE = 10;
/** The root of an index of three levels, a page below it, a leaf, and the row. */
const LOOKUP_PAGES = 4;

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

interface Plan {
  readonly milliseconds: number;
  readonly pages: number;
  /** Rows read from tables and indexes, including those that did not match. */
  readonly rows: number;
  readonly nodes: string;
  /** Whether the database chooses this plan by itself. */
  readonly isUsed: boolean;
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

export interface Scales {
  readonly title: string;
  /** Columns for each size, in the order in which plans are added. */
  readonly columns: readonly string[];
  /** Maximum growth in pages of PostgreSQL, from the first size to the last. */
  readonly maxGrowth: number;
}

/** Foreign rows grow a hundredfold: an index may be one level deeper. */
export const ROWS_OF_OTHERS: Scales = {
  title: 'The statement of each list while the rows of 49 other organizations grow',
  columns: ['1x', '10x', '100x'],
  maxGrowth: 2,
};

/** In contrast to foreign rows, public ones may make a list grow, since they are part of it. */
export const publicOnes = (from: number, to: number): Scales => ({
  title:
    'The statement of a list with public ones while others publish: it grows with what is public, at most in proportion',
  columns: [`${from} public`, `${to} public`],
  maxGrowth: to / from,
});

/** Both ways in which a database plans a repeated statement. */
const MODES = ['custom', 'generic'] as const;

/** Plans of several lists, each at several sizes. */
export class ListPlans {
  private readonly plans = new Map<string, Plan[]>();
  private readonly scales: Scales;

  constructor(scales: Scales) {
    this.scales = scales;
  }

  async add(pool: pg.Pool, title: string, statement: Statement): Promise<void> {
    const isGeneric = await takesGenericPlan(pool, statement);
    for (const mode of MODES) {
      const key = `${title}, ${mode} plan`;
      const plan = { ...(await explain(pool, statement, mode)), isUsed: mode === 'custom' || isGeneric };
      this.plans.set(key, [...(this.plans.get(key) ?? []), plan]);
    }
  }

  /** @returns whether the reads grew within the bounds */
  report(): boolean {
    const { title: heading, columns, maxGrowth } = this.scales;
    const growths = [...this.plans].map(([title, plans]) => {
      const { pages, bound } = growthOf(plans, maxGrowth);
      const isUsed = plans.some((plan) => plan.isUsed);
      return { title, plans, pages, bound, isUsed };
    });
    const rows = growths.map(({ title, plans, pages, bound, isUsed }) => [
      title,
      ...plans.map((plan) => `${plan.milliseconds.toFixed(2)} ms, ${plan.rows} rows, ${plan.pages} pages`),
      String(pages),
      `<= ${bound}`,
      isUsed ? verdict(pages <= bound) : 'never used: planned anew',
    ]);
    console.log(
      `\n${heading}\nPages may grow ${maxGrowth}-fold, or to ${LOOKUP_PAGES} for each row that was read at first: what a look-up by key costs.\n`,
    );
    printTable([['', ...columns, 'pages', 'bound', ''], ...rows]);
    for (const [title, plans] of this.plans) {
      console.log(`\n${title}`);
      for (const [index, { nodes }] of plans.entries()) console.log(`  ${columns[index]}: ${nodes}`);
    }
    return growths.every(({ pages, bound, isUsed }) => !isUsed || pages <= bound);
  }
}

async function explain(pool: pg.Pool, statement: Statement, mode: (typeof MODES)[number]) {
  return withPrepared(pool, statement, `force_${mode}_plan`, async (client, execution) => {
    const found: Omit<Plan, 'isUsed'>[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${execution}`);
      const [{ Plan: root, 'Execution Time': milliseconds }] = rows[0]['QUERY PLAN'];
      found.push({ milliseconds, ...readPlan(root) });
    }
    const last = found.at(-1);
    if (!last) throw new Error('There is no plan');
    return { ...last, milliseconds: median(found.map((one) => one.milliseconds)) };
  });
}

/** Whether the database chooses the generic plan after repeated executions with these values. EXPLAIN counts as an execution. */
async function takesGenericPlan(pool: pg.Pool, statement: Statement): Promise<boolean> {
  return withPrepared(pool, statement, 'auto', async (client, execution) => {
    for (let round = 0; round < ROUNDS_TO_CHOOSE; round++) await client.query(`EXPLAIN ${execution}`);
    const { rows } = await client.query<{ is_used: boolean }>(
      `SELECT generic_plans > 0 AS is_used FROM pg_prepared_statements WHERE name = 'explained'`,
    );
    const [chosen] = rows;
    if (!chosen) throw new Error('There is no prepared statement');
    return chosen.is_used;
  });
}

/** Prepared as in the server; only prepared statements have a generic plan. */
async function withPrepared<Result>(
  pool: pg.Pool,
  { sql, parameters }: Statement,
  mode: string,
  work: (client: pg.PoolClient, execution: string) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query(`SET plan_cache_mode = ${mode}`);
    await client.query(`PREPARE explained AS ${sql}`);
    return await work(client, `EXECUTE explained (${parameters.map(toLiteral).join(', ')})`);
  } finally {
    await client.query('DEALLOCATE explained; RESET plan_cache_mode');
    client.release();
  }
}

function toLiteral(value: unknown): string {
  if (value === null) return 'NULL';
  if (!Array.isArray(value)) return pg.escapeLiteral(toText(value));
  const elements = value.map((element) =>
    element === null ? 'NULL' : `"${toText(element).replaceAll(/["\\]/g, '\\$&')}"`,
  );
  return pg.escapeLiteral(`{${elements.join(',')}}`);
}

function toText(value: unknown): string {
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The reads at the last size, and their bound: rows that were adjacent in a small index are looked up one by one in a large one. */
function growthOf(plans: readonly Plan[], maxGrowth: number): { pages: number; bound: number } {
  const { pages = 0, rows = 0 } = plans[0] ?? {};
  const bound = Math.floor(Math.max(pages * maxGrowth, rows * LOOKUP_PAGES));
  return { pages: plans.at(-1)?.pages ?? 0, bound };
}

function readPlan(root: PlanNode): Omit<Plan, 'milliseconds' | 'isUsed'> {
  const scans = scansOf(root);
  const rowsOf = (node: PlanNode) =>
    (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
  return {
    pages: root['Shared Hit Blocks'] + root['Shared Read Blocks'],
    rows: Math.round(scans.reduce((sum, node) => sum + rowsOf(node), 0)),
    nodes: scans
      .filter((node) => node['Actual Loops'] > 0)
      .map(
        (node) =>
          `${node['Node Type']} ${node['Index Name'] ?? node['Relation Name']} x${node['Actual Loops']}`,
      )
      .join('; '),
  };
}

/** Nodes that read a table or an index. */
function scansOf(node: PlanNode): PlanNode[] {
  const below = (node.Plans ?? []).flatMap(scansOf);
  return node['Index Name'] || node['Relation Name'] ? [node, ...below] : below;
}
