/** Nothing more can be stored: the disk is full, or an organization has used up its quota. */
import pg from 'pg';
import { ApiError } from '../errors.ts';

const RETRY_AFTER_SECONDS = 60;

export class StorageLimitError extends ApiError {
  constructor(detail: string, cause?: unknown) {
    super('usage_limit_exceeded_error', detail, {
      cause,
      headers: { 'retry-after': String(RETRY_AFTER_SECONDS), 'x-should-retry': 'false' },
    });
  }
}

/** Raised by the triggers that count what is stored: see migration 0018. */
const QUOTA_EXCEEDED = 'DDQ01';

const KINDS: Readonly<Record<string, string>> = {
  objects: 'objects',
  registry: 'content of artifacts',
  runtimes: 'disks of runtimes',
  spans: 'spans',
};

/** Spans count until the organization's retention has passed. */
const REMEDIES: Readonly<Record<string, string>> = { spans: 'Keep traces for fewer days' };

export const quotaExceeded = (kind: string, cause?: unknown) =>
  new StorageLimitError(
    `The organization has used up its quota of ${KINDS[kind] ?? kind}. ${REMEDIES[kind] ?? 'Delete some'}, or ask the operator of this server for a larger quota.`,
    cause,
  );

export function findStorageLimit(error: unknown): StorageLimitError | undefined {
  if (error instanceof StorageLimitError) return error;
  if (error instanceof pg.DatabaseError && error.code === QUOTA_EXCEEDED)
    return quotaExceeded(error.detail ?? '', error);
  return undefined;
}
