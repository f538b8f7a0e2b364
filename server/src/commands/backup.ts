/** `npm run backup -- <folder>`: everything of this installation in a folder, as of one moment. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Config } from '../config.ts';
import { type BackedUpKey, backUp } from '../platform/backup/backup.ts';
import type { NewManifest } from '../platform/backup/manifest.ts';
import { withDatabase } from '../platform/db/open-database.ts';
import { findKeptKey, NEXT_KEY_FILE } from '../platform/secrets/secret-key.ts';
import { VERSION } from '../version.ts';
import { runCommand, UsageError } from './command.ts';

await runCommand(async (config, log) => {
  const { folder, snapshot } = readArguments();
  const secretKey = findKey(config);
  const manifest = await withDatabase(config, log, ({ url }) =>
    backUp({ url, folder, version: VERSION, secretKey, dataDir: config.dataDir, snapshot }),
  );
  console.log(describe(folder, manifest));
});

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { snapshot: { type: 'string' } },
  });
  const [folder, ...others] = positionals;
  if (!folder || others.length > 0) throw new UsageError('Say where to: npm run backup -- <folder>');
  return { folder: resolve(folder), snapshot: values.snapshot };
}

function findKey({ secretKey, previousSecretKey, dataDir }: Config): BackedUpKey | undefined {
  if (secretKey) return { value: secretKey, isIncluded: false, previous: previousSecretKey };
  if (findKeptKey(dataDir, NEXT_KEY_FILE) !== undefined) {
    throw new UsageError(
      'The secret key is being changed: some rows are under the one, some under the other.\n' +
        'Finish that with npm run rotate-secret-key, then back up.',
    );
  }
  const kept = findKeptKey(dataDir);
  return kept === undefined ? undefined : { value: kept, isIncluded: true };
}

function describe(folder: string, manifest: NewManifest): string {
  const { tables, secret_key, other_key_ids, snapshot_at } = manifest;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return [
    `${folder} holds ${tables.length} tables with ${rows} rows, as they were at ${snapshot_at}.`,
    ...describeObjects(manifest.objects),
    describeKey(secret_key),
    ...other_key_ids.map(
      (id) => `Some rows are sealed with another key (key id ${id}); keep that one as well.`,
    ),
    'To bring it back: npm run restore -- <folder>, with an empty DRYDOCK_DATA_DIR or DATABASE_URL.',
  ].join('\n');
}

function describeObjects(objects: NewManifest['objects']): string[] {
  if (!objects) return [];
  return objects.store === 'embedded'
    ? [`The content of its objects is in it: ${objects.files} files with ${objects.bytes} bytes.`]
    : [`The content of its objects is not in it: back up the bucket ${objects.bucket} by its own means.`];
}

function describeKey(key: NewManifest['secret_key']): string {
  if (!key) return 'There is no secret key yet, and nothing that one has sealed.';
  return key.sha256
    ? 'The secret key of the data directory is in it: whoever has this folder can read every stored secret.'
    : `The secret key is not in it, since it was given as DRYDOCK_SECRET_KEY (key id ${key.key_id}). Keep it as well: without it the stored secrets are lost.`;
}
