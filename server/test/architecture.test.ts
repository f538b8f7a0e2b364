/** Enforces the rules of ARCHITECTURE.md that a test can check: imports, layers, sizes, tenant keys. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { TEMPLATE, withDatabase } from './databases.ts';
import { functionLengths } from './function-lengths.ts';
import { GLOBAL_TABLES, isGlobal } from './global-tables.ts';
import { type Edge, edges, IMPORT, pages, SRC, sdk, shipped, sources } from './source-files.ts';

/** Allowed calls between domains, through their service.ts. */
const DOMAIN_EDGES: readonly (readonly [from: string, to: string])[] = [
  ['airt', 'accounts'],
  ['airt', 'evaluations'],
  ['airt', 'inference'],
  ['airt', 'registry'],
  ['airt', 'runtimes'],
  ['airt', 'sessions'],
  ['airt', 'task-sets'],
  ['airt', 'traces'],
  ['evaluations', 'accounts'],
  ['evaluations', 'inference'],
  ['evaluations', 'registry'],
  ['evaluations', 'runtimes'],
  ['evaluations', 'sessions'],
  ['evaluations', 'task-sets'],
  ['exports', 'accounts'],
  ['gates', 'accounts'],
  ['gates', 'airt'],
  ['gates', 'evaluations'],
  ['gates', 'inference'],
  ['gates', 'registry'],
  ['journeys', 'airt'],
  ['journeys', 'evaluations'],
  ['journeys', 'gates'],
  ['journeys', 'optimization'],
  ['journeys', 'registry'],
  ['lineage', 'accounts'],
  ['lineage', 'registry'],
  ['lineage', 'sessions'],
  ['optimization', 'accounts'],
  ['optimization', 'evaluations'],
  ['optimization', 'gates'],
  ['optimization', 'inference'],
  ['optimization', 'registry'],
  ['optimization', 'runtimes'],
  ['optimization', 'sessions'],
  ['registry', 'accounts'],
  ['runtimes', 'accounts'],
  ['runtimes', 'registry'],
  ['sessions', 'accounts'],
  ['inference', 'accounts'],
  ['inference', 'sessions'],
  ['sessions', 'runtimes'],
  ['task-sets', 'accounts'],
  ['task-sets', 'registry'],
  ['traces', 'accounts'],
  ['traces', 'sessions'],
  ['training', 'accounts'],
  ['training', 'evaluations'],
  ['training', 'inference'],
  ['training', 'registry'],
  ['training', 'sessions'],
  ['usage', 'sessions'],
];
const DOMAINS = [
  'accounts',
  'airt',
  'evaluations',
  'exports',
  'gates',
  'inference',
  'journeys',
  'lineage',
  'optimization',
  'registry',
  'runtimes',
  'sessions',
  'storage',
  'task-sets',
  'traces',
  'training',
  'usage',
];

/** The entry of the published package. Beside it, only the service.ts of a domain may re-export. */
const PACKAGE_ENTRY = 'sdk/src/drydock.ts';

/** The folders of an import where its two paths part, unless one of the files stands beside the other's folder. */
function toFolders({ from, to }: Edge): (Edge & { readonly parent: string })[] {
  const [a, b] = [from.split('/'), to.split('/')];
  const depth = a.findIndex((name, index) => name !== b[index]);
  const [fromFolder, toFolder] = [a.slice(depth, -1)[0], b.slice(depth, -1)[0]];
  if (depth < 0 || fromFolder === undefined || toFolder === undefined) return [];
  return [{ parent: a.slice(0, depth).join('/'), from: fromFolder, to: toFolder }];
}

const layerOf = (path: string) => (path.includes('/') ? (path.split('/')[0] ?? '') : 'root');

describe('imports', () => {
  test('platform imports no domain and nothing above it', () => {
    const wrong = edges.filter(({ from, to }) => layerOf(from) === 'platform' && layerOf(to) !== 'platform');
    expect(wrong).toEqual([]);
  });

  test('every folder of server/src is platform or a known domain', () => {
    const folders = new Set(shipped.map(({ file }) => layerOf(relative('server/src', file))));
    expect([...folders].toSorted()).toEqual([...DOMAINS, 'commands', 'platform', 'root'].toSorted());
  });

  test('a domain reaches another only through its service.ts, along a listed edge', () => {
    const isDomain = (layer: string) => DOMAINS.includes(layer);
    const crossing = edges.filter(
      ({ from, to }) => isDomain(layerOf(from)) && isDomain(layerOf(to)) && layerOf(from) !== layerOf(to),
    );
    const isListed = ({ from, to }: Edge) =>
      to === `${layerOf(to)}/service.ts` &&
      DOMAIN_EDGES.some(([a, b]) => a === layerOf(from) && b === layerOf(to));
    expect(crossing.filter((edge) => !isListed(edge))).toEqual([]);
  });

  test('a domain does not import main, app or config', () => {
    const wrong = edges.filter(({ from, to }) => DOMAINS.includes(layerOf(from)) && layerOf(to) === 'root');
    expect(wrong).toEqual([]);
  });

  test('commands are imported only by other commands', () => {
    const wrong = edges.filter(({ from, to }) => layerOf(to) === 'commands' && layerOf(from) !== 'commands');
    expect(wrong).toEqual([]);
  });

  test('no file imports itself through other files', () => {
    expect(findCycle(edges)).toBeUndefined();
  });

  test('the folders beside each other in any part import each other without a circle', () => {
    const between = Map.groupBy(edges.flatMap(toFolders), ({ parent }) => parent);
    expect(between.get('platform')?.length).toBeGreaterThan(50);
    expect(between.get('runtimes')?.length).toBeGreaterThan(20);
    const circles = [...between].map(([parent, inside]) => [parent, findCycle(inside)]);
    expect(circles.filter(([, circle]) => circle !== undefined)).toEqual([]);
  });

  test('the console reaches the server only through the SDK', () => {
    const outside = pages.flatMap(({ file, text }) =>
      [...text.matchAll(IMPORT)]
        .map((match) => match[1] ?? match[2] ?? match[3] ?? '')
        .filter((target) => target.startsWith('.') && !join(dirname(file), target).startsWith('console/src/'))
        .map((target) => `${file}: ${target}`),
    );
    const calls = pages.filter(
      ({ file, text }) => /(?<![.#\w])fetch\(/.test(text) && file !== 'console/src/api/client.ts',
    );
    expect([outside, calls.map(({ file }) => file)]).toEqual([[], []]);
  });

  test('there are no barrel files, path aliases or catch-all folders', () => {
    const names = sources.map(({ file }) => file);
    expect(names.filter((file) => /(^|\/)index\.ts$/.test(file))).toEqual([]);
    expect(names.filter((file) => /(^|\/)(utils?|common|shared|helpers?)(\/|\.ts$)/.test(file))).toEqual([]);
    const reExporting = sources.filter(({ text }) => /^export\s+(type\s+)?(\*|\{[^}]*\})\s+from/m.test(text));
    const isPublicFace = (file: string) =>
      file === PACKAGE_ENTRY || /^server\/src\/[\w-]+\/service\.ts$/.test(file);
    expect(reExporting.map(({ file }) => file).filter((file) => !isPublicFace(file))).toEqual([]);
  });

  test('the SDK for S3 is not loaded before an S3 is opened', () => {
    const atOnce = /^(?:import|export)\s(?!type\s)[^'"]*?from\s+['"]([^'"]+)['"]/gm;
    const importsOf = (file: string) =>
      [...readFileSync(join(SRC, file), 'utf8').matchAll(atOnce)].map((match) => match[1] ?? '');
    const loaded = new Set(['main.ts']);
    // Iterating a set includes elements that are added during the iteration.
    for (const file of loaded)
      for (const target of importsOf(file))
        if (target.startsWith('.')) loaded.add(join(dirname(file), target));
    expect(loaded).toContain('platform/object-storage/outside/open-outside-storage.ts');
    const packages = new Set([...loaded].flatMap(importsOf).filter((target) => !target.startsWith('.')));
    expect(packages).toContain('pg');
    expect([...packages].filter((name) => name.startsWith('@aws-sdk/'))).toEqual([]);
  });

  test('statements name their columns: SELECT * breaks when a newer server adds one', () => {
    // A user's data file has columns of its own.
    const greedy = shipped
      .filter(({ file }) => !file.startsWith('server/src/platform/analytics/'))
      .filter(({ text }) => /selectAll\(|returningAll\(|(select|returning) (\w+\.)?\*/i.test(text))
      .map(({ file }) => file);
    expect(greedy).toEqual([]);
  });

  test('only client-address.ts reads the raw address of a client, since one client may have many', () => {
    const readers = shipped
      .filter(({ text }) => /\brequest\.ip\b|\{ ip \}/.test(text))
      .map(({ file }) => file);
    expect(readers).toEqual(['server/src/platform/limits/client-address.ts']);
  });

  test('only config.ts reads the environment', () => {
    const readers = shipped.filter(({ text }) => text.includes('process.env')).map(({ file }) => file);
    expect(readers.toSorted()).toEqual([
      'server/src/commands/command.ts',
      'server/src/config.ts',
      'server/src/main.ts',
    ]);
  });
});

describe('sizes', () => {
  test('files have at most 400 lines, and 9 of 10 at most 250', () => {
    const lengths = sources.map(({ file, text }) => ({ file, lines: text.split('\n').length }));
    expect(lengths.filter(({ lines }) => lines > 400)).toEqual([]);
    expect(percentile90(lengths.map(({ lines }) => lines))).toBeLessThanOrEqual(250);
  });

  test('functions have at most 80 lines, and 9 of 10 at most 35', () => {
    const lengths = [...shipped, ...sdk, ...pages].flatMap(({ file, text }) => functionLengths(file, text));
    expect(lengths.length).toBeGreaterThan(200);
    expect(lengths.filter(({ lines }) => lines > 80)).toEqual([]);
    expect(percentile90(lengths.map(({ lines }) => lines))).toBeLessThanOrEqual(35);
  });

  test('code has no any, no module mocks, and no silenced compiler without a comment that says why', () => {
    const forbidden = /(:|\bas|<)\s*any\b|@ts-ignore|@ts-expect-error|@ts-nocheck|\bvi\.(mock|doMock)\(/;
    const found = sources
      .filter(({ file }) => file !== 'server/test/architecture.test.ts')
      .flatMap(({ file, text }) => {
        const lines = text.split('\n');
        const isExcused = (index: number) =>
          /oxlint-disable-next-line \S+ -- \S/.test(lines[index - 1] ?? '');
        return lines.flatMap((line, index) =>
          forbidden.test(line) && !isExcused(index) ? `${file}:${index + 1}` : [],
        );
      });
    expect(found).toEqual([]);
  });
});

test('shared test modules set no per-file state while loading, since they are loaded once for many files', () => {
  const setting = /^(?:(?:before|after)(?:All|Each)|vi\.\w+)\(/m;
  const shared = sources.filter(
    ({ file, text }) => !file.endsWith('.test.ts') && /from 'vitest'/.test(text) && setting.test(text),
  );
  expect(shared.map(({ file }) => file)).toEqual(['server/test/each-file.ts']);
});

describe('tenancy of tables', async () => {
  const client = new pg.Client({ connectionString: withDatabase(inject('databaseUrl'), TEMPLATE) });
  const ask = async <Row extends pg.QueryResultRow>(sql: string) => (await client.query<Row>(sql)).rows;
  await client.connect();
  const tables = await ask<{ name: string; has_organization: boolean }>(`
    SELECT c.relname AS name,
           EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'organization_id' AND a.attnotnull)
             AS has_organization
      FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')`);
  const uniques = await ask<{ table: string; index: string; first: string }>(`
    SELECT c.relname AS table, i.indexrelid::regclass::text AS index,
           (SELECT attname FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = i.indkey[0]) AS first
      FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
     WHERE c.relnamespace = 'public'::regnamespace AND i.indisunique`);
  const foreign = await ask<{
    name: string;
    table: string;
    target: string;
    first: string;
    target_first: string;
  }>(`
    SELECT k.conname AS name, k.conrelid::regclass::text AS table, k.confrelid::regclass::text AS target,
           (SELECT attname FROM pg_attribute a WHERE a.attrelid = k.conrelid AND a.attnum = k.conkey[1]) AS first,
           (SELECT attname FROM pg_attribute a WHERE a.attrelid = k.confrelid AND a.attnum = k.confkey[1]) AS target_first
      FROM pg_constraint k WHERE k.contype = 'f' AND k.connamespace = 'public'::regnamespace`);
  const sequences = await ask<{ name: string }>(`SELECT relname AS name FROM pg_class WHERE relkind = 'S'
    AND relnamespace = 'public'::regnamespace`);
  await client.end();

  test('every table is listed as global or belongs to an organization', () => {
    const stray = tables.filter(({ name, has_organization }) => !isGlobal(name) && !has_organization);
    expect(stray).toEqual([]);
    expect(GLOBAL_TABLES.filter((name) => !tables.some((table) => table.name === name))).toEqual([]);
  });

  test('organization_id leads the primary key and every unique index of a tenant table', () => {
    const tenant = uniques.filter(({ table }) => !isGlobal(table));
    expect(tenant.length).toBeGreaterThan(0);
    expect(tenant.filter(({ first }) => first !== 'organization_id')).toEqual([]);
  });

  test('organization_id leads every foreign key to a tenant table', () => {
    const toTenant = foreign.filter(({ target }) => !isGlobal(target));
    expect(toTenant.length).toBeGreaterThan(0);
    const wrong = toTenant.filter(
      ({ first, target_first }) => first !== 'organization_id' || target_first !== 'organization_id',
    );
    expect(wrong).toEqual([]);
  });

  test('tables use no sequences: the application creates the ids', () => {
    expect(sequences).toEqual([]);
  });
});

function percentile90(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.9)] ?? 0;
}

function findCycle(all: readonly Edge[]): string[] | undefined {
  const targets = Map.groupBy(all, ({ from }) => from);
  const done = new Set<string>();
  const visit = (file: string, path: string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const { to } of targets.get(file) ?? []) {
      const cycle = visit(to, [...path, file]);
      if (cycle) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of targets.keys()) {
    const cycle = visit(file, []);
    if (cycle) return cycle;
  }
  return undefined;
}
