import { z } from 'zod';
import { ApiError } from './errors.ts';
import { publicRoutes } from './operations.ts';

const Check = z.enum(['ok', 'disabled']).describe('disabled: this server runs without that part');

const HealthResponse = z
  .object({
    status: z.literal('ok'),
    version: z.string(),
    checks: z.object({ database: Check, object_storage: Check, jobs: Check }),
  })
  .meta({ id: 'HealthResponse' });

export interface HealthOptions {
  readonly version: string;
  /** Throws when the database cannot be used. */
  readonly checkDatabase: () => Promise<unknown>;
  /** Whether this process works on jobs. */
  readonly jobs: z.output<typeof Check>;
}

const CHECK_TIMEOUT_MS = 5_000;

export function healthRoutes({ version, checkDatabase, jobs }: HealthOptions) {
  return publicRoutes('Health', (on) => {
    on.get(
      '/health',
      {
        id: 'getHealth',
        summary: 'Tell whether this server can do its work',
        answer: HealthResponse,
        unlimited: true, // a load balancer asks for all of its users from one address
      },
      async () => {
        await withinTime(checkDatabase());
        const checks = { database: 'ok' as const, object_storage: 'disabled' as const, jobs };
        return { status: 'ok' as const, version, checks };
      },
    );
  });
}

async function withinTime(check: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${CHECK_TIMEOUT_MS} ms`)), CHECK_TIMEOUT_MS);
  });
  try {
    await Promise.race([check, late]);
  } catch (cause) {
    throw new ApiError('database_error', 'The database cannot be reached.', { cause });
  } finally {
    clearTimeout(timer);
  }
}
