import { z } from 'zod';
import { ApiError } from '../../errors.ts';
import { publicRoutes } from '../operations.ts';

const Check = z.enum(['ok', 'disabled']).describe('disabled: this server runs without that part');

const HealthResponse = z
  .object({
    status: z.enum(['ok', 'degraded']).describe('degraded: it works, but refuses some of it'),
    reason: z.string().optional().describe('Why it is degraded, and what to do'),
    version: z.string(),
    checks: z.object({ database: Check, object_storage: Check, jobs: Check }),
  })
  .meta({ id: 'HealthResponse' });

export interface HealthOptions {
  readonly version: string;
  /** Throws when the database cannot be used. */
  readonly checkDatabase: () => Promise<unknown>;
  /** Throws when the object storage cannot be used. */
  readonly checkObjectStorage: () => Promise<unknown>;
  /** Reason why some requests are refused, such as a full disk; undefined when none are. */
  readonly findShortage?: (() => Promise<string | undefined>) | undefined;
  /** Whether this process runs jobs. */
  readonly jobs: z.output<typeof Check>;
}

const CHECK_TIMEOUT_MS = 5_000;
/** Cache lifetime: anyone may call the health check at any rate, and some stores charge per request. */
const STORAGE_CHECK_LASTS_MS = 2_000;

export function healthRoutes({
  version,
  checkDatabase,
  checkObjectStorage,
  findShortage,
  jobs,
}: HealthOptions) {
  const checkStorage = lasting(STORAGE_CHECK_LASTS_MS, checkObjectStorage);
  return publicRoutes('Health', (on) => {
    on.get(
      '/health',
      {
        id: 'getHealth',
        summary: 'Check whether this server is ready',
        response: HealthResponse,
        rateClass: 'unlimited', // load balancers send all their requests from one address
      },
      async () => {
        await Promise.all([
          withinTime(checkDatabase(), databaseIsGone),
          withinTime(checkStorage(), storageIsGone),
        ]);
        const checks = { database: 'ok' as const, object_storage: 'ok' as const, jobs };
        const reason = await findShortage?.();
        if (reason) return { status: 'degraded' as const, reason, version, checks };
        return { status: 'ok' as const, version, checks };
      },
    );
  });
}

const databaseIsGone = (cause: unknown) =>
  new ApiError('database_error', 'The database cannot be reached.', { cause });
/** An unhealthy server returns 500, whatever the cause. */
const storageIsGone = (cause: unknown) =>
  new ApiError('server_error', 'The object storage cannot be used.', { cause });

async function withinTime(check: Promise<unknown>, explain: (cause: unknown) => ApiError): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no response within ${CHECK_TIMEOUT_MS} ms`)),
      CHECK_TIMEOUT_MS,
    );
  });
  try {
    await Promise.race([check, late]);
  } catch (cause) {
    throw explain(cause);
  } finally {
    clearTimeout(timer);
  }
}

/** Repeats a check only after this time since its last result; callers in between share that result. */
function lasting(lastsMs: number, check: () => Promise<unknown>): () => Promise<unknown> {
  let response: Promise<unknown> | undefined;
  let lastsUntil = Number.POSITIVE_INFINITY;
  return () => {
    if (response && performance.now() < lastsUntil) return response;
    lastsUntil = Number.POSITIVE_INFINITY;
    const settle = () => (lastsUntil = performance.now() + lastsMs);
    response = check();
    response.then(settle, settle);
    return response;
  };
}
