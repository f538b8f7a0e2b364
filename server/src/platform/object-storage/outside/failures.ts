/** What goes wrong between here and the S3, told in our words: with its code, and with nothing that is secret. */
import { ApiError } from '../../http/errors.ts';

/** Waits for what was asked of the S3; its failure becomes ours. */
export async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toApiError(error);
  }
}

/** As `explained`, but what is not there is undefined. */
export async function found<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw toApiError(error);
  }
}

/** A HEAD has no body that could tell more than the status. */
const isAbsent = (error: unknown) => ['NoSuchKey', 'NotFound'].includes(codeOf(error));

export const codeOf = (error: unknown) => (error instanceof Error ? error.name : 'UnknownError');

export function toApiError(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause;
  if (codeOf(cause) === 'CredentialsProviderError') {
    const detail =
      'There are no credentials for the object storage: set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.';
    return new ApiError('configuration_error', detail, { cause });
  }
  return new ApiError('object_storage_error', describe(cause), { cause });
}

function describe(error: unknown): string {
  const status = statusOf(error);
  if (status !== undefined) return `The object storage answered ${codeOf(error)} (${status}).`;
  if (codeOf(error) === 'TimeoutError') return 'The object storage did not answer in time.';
  return `The object storage cannot be reached (${systemCodeOf(error) ?? codeOf(error)}).`;
}

function statusOf(error: unknown): number | undefined {
  const { $metadata } = error as { readonly $metadata?: { readonly httpStatusCode?: number } };
  return $metadata?.httpStatusCode;
}

/** Such as ECONNREFUSED. */
function systemCodeOf(error: unknown): string | undefined {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
}
