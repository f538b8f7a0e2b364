/**
 * Writes the generated files that are committed: the database's types, openapi.json, the SDK's types, the settings page. `--check` only
 * compares.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiDocument, generateClient } from '../../sdk/scripts/generate-client.ts';
import { findBundledBinaries } from '../src/platform/db/bundled-binaries.ts';
import { BundledPostgres } from '../src/platform/db/bundled-postgres.ts';
import { generateTypes } from '../src/platform/db/generate-types.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { createLog } from '../src/platform/log.ts';
import { describeSettings } from './describe-settings.ts';

const ROOT = join(import.meta.dirname, '../..');
const isCheck = process.argv.includes('--check');
const log = createLog('warn');

write('docs/operate/configuration.md', describeSettings());

const dataDir = mkdtempSync(join(tmpdir(), 'drydock-generate-'));
const postgres = await BundledPostgres.start({
  dataDir,
  binaries: findBundledBinaries(),
  log,
  settings: { fsync: 'off', synchronous_commit: 'off' },
});
try {
  await migrate({ url: postgres.url, log });
  write('server/src/platform/db/schema.gen.ts', await generateTypes(postgres.url));
  // Imported only now, so that the application's types are those of the file just written.
  const { describeApi } = await import('./describe-api.ts');
  const document = `${JSON.stringify(await describeApi(postgres.url, dataDir, log), null, 2)}\n`;
  write('openapi.json', document);
  const client = await generateClient(JSON.parse(document) as ApiDocument);
  for (const [file, content] of Object.entries(client)) write(`sdk/src/${file}`, content);
} finally {
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

function write(file: string, content: string): void {
  const path = join(ROOT, file);
  if (!isCheck) writeFileSync(path, content);
  else if (readFileSync(path, 'utf8') !== content) {
    console.error(`${file} is not up to date; run "npm run generate".`);
    process.exitCode = 1;
  }
}
