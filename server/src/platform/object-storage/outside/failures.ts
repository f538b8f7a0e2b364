/** Converts errors of the S3 client to ours: with their code, and without secrets. */
import { ApiError } from '../../errors.ts';

/** Awaits an S3 request and converts its error. */
export async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toApiError(error);
  }
}

/** Works like `explained`, but returns undefined for an object that the S3 server reports as missing. A bare 404 may come from anywhere. */
export async function found<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) === 'NoSuchKey') return undefined;
    throw toApiError(error);
  }
}

export const codeOf = (error: unknown) => (error instanceof Error ? error.name : 'UnknownError');

export function toApiError(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause;
  if (codeOf(cause) === 'CredentialsProviderError') {
    const detail =
      'There are no credentials for the object storage: set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.';
    return new ApiError('configuration_error', detail, { cause });
  }
  if (isMistake(cause))
    return new ApiError(
      'invalid_error',
      `The object storage cannot accept this key or content: ${cause.message}`,
      { cause },
    );
  return new ApiError('object_storage_error', describe(cause), { cause });
}

/** Tells whether the request could not even be sent: a key that is not Unicode, a header with a line break. */
function isMistake(error: unknown): error is Error {
  const isLocal = statusOf(error) === undefined && !(error as object & { syscall?: unknown }).syscall;
  return isLocal && (error instanceof TypeError || error instanceof URIError || error instanceof RangeError);
}

function describe(error: unknown): string {
  const status = statusOf(error);
  if (status !== undefined) return `The object storage answered ${codeOf(error)} (${status}).`;
  if (['TimeoutError', 'AbortError'].includes(codeOf(error)))
    return 'The object storage did not answer in time.';
  const code = systemCodeOf(error);
  if (code !== undefined) return `The object storage cannot be reached (${code}).`;
  return `The object storage could not be asked (${codeOf(error)}).`;
}

function statusOf(error: unknown): number | undefined {
  const { $metadata } = error as { readonly $metadata?: { readonly httpStatusCode?: number } };
  return $metadata?.httpStatusCode;
}

/** A code such as ECONNREFUSED. */
function systemCodeOf(error: unknown): string | undefined {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
}
