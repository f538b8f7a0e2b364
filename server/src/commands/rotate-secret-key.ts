/** `npm run rotate-secret-key`: seals everything that is stored with another secret key. */

import { revokeDerived } from '../accounts/first-start.ts';
import type { Config } from '../config.ts';
import { ConfigError } from '../config.ts';
import { migrate } from '../platform/db/migrate.ts';
import { type OpenDatabase, withDatabase } from '../platform/db/open-database.ts';
import type { Log } from '../platform/log.ts';
import { createVault } from '../platform/secrets/envelope.ts';
import { type Rewrapped, rewrapAll } from '../platform/secrets/rewrap.ts';
import { rotateKeptKey } from '../platform/secrets/rotate-kept-key.ts';
import { findKeptKey } from '../platform/secrets/secret-key.ts';
import { SEALED_TABLES } from '../sealed-tables.ts';
import { runCommand } from './command.ts';

await runCommand((config, log) =>
  config.secretKey ? rotateToGiven(config, config.secretKey, log) : rotateKept(config, log),
);

/** The key in the data directory: no server may run, since it would go on with the one before. */
async function rotateKept(config: Config, log: Log): Promise<void> {
  const rotate = async ({ db, url }: OpenDatabase) => {
    await migrate({ url, log });
    const before = findKeptKey(config.dataDir);
    const rewrapped = await rotateKeptKey(db, config.dataDir, SEALED_TABLES);
    if (before) reportRevoked(await revokeDerived(db, before));
    return rewrapped;
  };
  report(await withDatabase(config, log, rotate, { alone: true }));
  console.log('The data directory has another secret key. Access tokens made before are void; logins go on.');
}

/** Keys that are given: every process knows both of them already. */
async function rotateToGiven(config: Config, secretKey: string, log: Log): Promise<void> {
  const { previousSecretKey } = config;
  if (!previousSecretKey) {
    throw new ConfigError(
      'Every process must know both keys before this command runs:\n' +
        '  1. Set DRYDOCK_SECRET_KEY_PREVIOUS to the next key on every process, and start them again one by one.\n' +
        '  2. Exchange the two, so that the next key is DRYDOCK_SECRET_KEY, and start them again one by one.\n' +
        'Then run this command with the settings of the second step. docs/operate/secret-keys.md tells more.',
    );
  }
  const rewrapped = await withDatabase(config, log, async ({ db, url }) => {
    await migrate({ url, log });
    const all = await rewrapAll(db, createVault(secretKey, previousSecretKey), SEALED_TABLES);
    reportRevoked(await revokeDerived(db, previousSecretKey));
    return all;
  });
  report(rewrapped);
  if (rewrapped.left === 0)
    console.log(
      'Nothing needs the previous key: remove DRYDOCK_SECRET_KEY_PREVIOUS in a quarter of an hour.',
    );
}

function reportRevoked(wasRevoked: boolean): void {
  if (!wasRevoked) return;
  console.log(
    'The password or API key that the first start showed came from the key before, and is void. npm run reset-owner makes new ones.',
  );
}

function report({ rewrapped, left }: Rewrapped): void {
  console.log(`${rewrapped} stored secrets were sealed with the current key.`);
  if (left === 0) return;
  process.exitCode = 1;
  console.error(
    `${left} are sealed with a key that is neither the current nor the previous one, or are damaged, or were written ` +
      'just now by a process that knows only the previous key. They were left as they are.',
  );
}
