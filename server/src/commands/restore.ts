/** `npm run restore -- <folder>`: brings a backup back into an empty database. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Config } from '../config.ts';
import { BackupError } from '../platform/backup/manifest.ts';
import { requireKey, restore, type VerifiedBackup, verifyBackup } from '../platform/backup/restore.ts';
import { withDatabase } from '../platform/db/open-database.ts';
import { findKeptKey, keepKey } from '../platform/secrets/secret-key.ts';
import { VERSION } from '../version.ts';
import { runCommand, UsageError } from './command.ts';

await runCommand(async (config, log) => {
  const folder = readFolder();
  const backup = await verifyBackup(folder, VERSION);
  requireUsableKey(config, backup);
  await withDatabase(
    config,
    log,
    async ({ url }) => {
      // First: a server must never start on the rows with a key of its own making.
      if (!config.secretKey && backup.secretKey) keepKey(config.dataDir, backup.secretKey);
      await restore(backup, { url, log });
    },
    { alone: true, create: true },
  );
  const { tables, snapshot_at, other_key_ids } = backup.manifest;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  console.log(
    `Restored ${tables.length} tables with ${rows} rows, as they were at ${snapshot_at}.\n` +
      'Start the server with these settings: npm run up. Users, passwords and API keys are those of the backup.',
  );
  for (const id of other_key_ids) {
    console.log(
      `Some rows are sealed with another key (key id ${id}): set DRYDOCK_SECRET_KEY_PREVIOUS to it, then npm run rotate-secret-key.`,
    );
  }
});

function readFolder(): string {
  const [folder, ...others] = parseArgs({ allowPositionals: true }).positionals;
  if (!folder || others.length > 0) throw new UsageError('Say where from: npm run restore -- <folder>');
  return resolve(folder);
}

function requireUsableKey({ secretKey, dataDir }: Config, backup: VerifiedBackup): void {
  const found = secretKey ?? findKeptKey(dataDir) ?? backup.secretKey;
  if (found !== undefined) return requireKey(backup, found);
  if (!backup.manifest.secret_key) return;
  throw new BackupError(
    `The backup was sealed with the secret key ${backup.manifest.secret_key.key_id}, which is not in it. Set DRYDOCK_SECRET_KEY to that key. Nothing was restored.`,
  );
}
