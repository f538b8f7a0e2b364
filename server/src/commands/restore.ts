/** `npm run restore -- <folder>`: brings a backup back into an empty database. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Config } from '../config.ts';
import { BackupError, type Manifest } from '../platform/backup/manifest.ts';
import { requireKey, restore, type VerifiedBackup, verifyBackup } from '../platform/backup/restore.ts';
import { connect } from '../platform/db/connect.ts';
import { withDatabase } from '../platform/db/open-database.ts';
import type { Log } from '../platform/log.ts';
import type { ObjectStorage } from '../platform/object-storage/object-storage.ts';
import { openOutsideStorage } from '../platform/object-storage/outside/open-outside-storage.ts';
import { findKeptKey, keepKey } from '../platform/secrets/secret-key.ts';
import { makeDays } from '../traces/retention/partitions.ts';
import { VERSION } from '../version.ts';
import { runCommand, UsageError } from './command.ts';

await runCommand(async (config, log) => {
  const folder = readFolder();
  const backup = await verifyBackup(folder, VERSION);
  requireUsableKey(config, backup);
  const storage = await openTarget(config, backup.manifest);
  try {
    await withDatabase(
      config,
      log,
      async ({ url }) => {
        // First: a server must never start on the rows with a key of its own making.
        if (!config.secretKey && backup.secretKey) keepKey(config.dataDir, backup.secretKey);
        const makePartitions = (names: readonly string[]) => makeDaysOf({ url, log, names });
        await restore(backup, { url, log, objects: storage ? { storage } : config, makePartitions });
      },
      { alone: true, create: true },
    );
  } finally {
    await storage?.close();
  }
  console.log(describe(backup.manifest, config));
});

/** Before the spans come, so that none has to be moved. */
async function makeDaysOf({
  url,
  log,
  names,
}: {
  url: string;
  log: Log;
  names: readonly string[];
}): Promise<void> {
  if (names.length === 0) return;
  const db = connect({ url, poolSize: 1, namedStatements: false, log });
  try {
    await makeDays(db, names);
  } finally {
    await db.destroy();
  }
}

/** The outside S3 that holds the objects from now on; it has to be there when it is to take them. */
async function openTarget({ s3 }: Config, { objects }: Manifest): Promise<ObjectStorage | undefined> {
  if (!s3) return undefined;
  const storage = await openOutsideStorage(s3);
  if (objects?.store === 'embedded') await storage.check();
  return storage;
}

function describe(manifest: Manifest, config: Config): string {
  const { tables, snapshot_at, other_key_ids } = manifest;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return [
    `Restored ${tables.length} tables with ${rows} rows, as they were at ${snapshot_at}.`,
    ...describeObjects(manifest, config),
    'Start the server with these settings: npm run up. Users, passwords and API keys are those of the backup.',
    ...other_key_ids.map(
      (id) =>
        `Some rows are sealed with another key (key id ${id}): set DRYDOCK_SECRET_KEY_PREVIOUS to it, then npm run rotate-secret-key.`,
    ),
  ].join('\n');
}

function describeObjects({ objects, tables }: Manifest, { s3 }: Config): string[] {
  if (!objects) return [];
  if (objects.store === 's3') {
    const { bucket } = objects;
    return [
      s3 && s3.bucket !== bucket
        ? `The objects are not in the backup: the bucket ${s3.bucket} must hold what was in the bucket ${bucket}.`
        : `The objects are not in the backup: the bucket ${bucket} must be there, and S3_BUCKET must name it.`,
    ];
  }
  if (!s3) {
    const { files, bytes } = objects;
    return [`The content of its objects is in the data directory: ${files} files with ${bytes} bytes.`];
  }
  const uploads = tables.find(({ name }) => name === 'object_uploads')?.rows ?? 0;
  return [
    `The content of its objects is in the bucket ${s3.bucket}.`,
    ...(uploads > 0 ? [`Uploads in parts that were under way (${uploads}) have to be begun anew.`] : []),
  ];
}

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
