/** The contract's error types, each with its status, and the one exception that becomes an error response. */

export const STATUS_BY_TYPE = {
  already_exists_error: 409,
  app_error: 500,
  authentication_error: 401,
  bad_gateway_error: 502,
  cloud_error: 502,
  configuration_error: 500,
  conflict_error: 409,
  database_error: 500,
  expired_signature_error: 401,
  expired_token_error: 401,
  forbidden_error: 403,
  gateway_timeout_error: 504,
  group_error: 422,
  invalid_error: 400,
  invalid_flag_error: 422,
  invalid_username_error: 422,
  keyvalue_store_error: 500,
  mail_error: 502,
  member_exists_error: 409,
  member_limit_exceeded_error: 409,
  migration_lock_timeout_error: 500,
  not_found_error: 404,
  oauth_config_error: 500,
  object_storage_error: 502,
  org_sandbox_capacity_exceeded_error: 429,
  payment_provider_error: 502,
  sandbox_provider_error: 502,
  sandbox_provider_rate_limit_error: 429,
  server_error: 500,
  task_error: 500,
  task_set_not_found: 404,
  token_error: 401,
  upgrade_required_error: 426,
  usage_limit_exceeded_error: 429,
  user_suspended: 403,
  user_verification_error: 403,
  validation_error: 422,
} as const;

export type ErrorType = keyof typeof STATUS_BY_TYPE;
export type ErrorStatus = (typeof STATUS_BY_TYPE)[ErrorType];

export const ERROR_STATUSES = [400, 401, 403, 404, 409, 422, 426, 429, 500, 502, 504] as const;

/** One mistake in a request: its location and a description. */
export interface Issue {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

export interface ErrorOptions {
  readonly cause?: unknown;
  readonly issues?: readonly Issue[];
  /** Extra headers of the response, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A reason finer than the type, for error formats with a field for it. */
  readonly reason?: string;
}

export class ApiError extends Error {
  readonly type: ErrorType;
  readonly status: ErrorStatus;
  readonly issues: readonly Issue[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly reason: string | undefined;

  constructor(type: ErrorType, detail: string, options: ErrorOptions = {}) {
    super(detail, { cause: options.cause });
    this.type = type;
    this.status = STATUS_BY_TYPE[type];
    this.issues = options.issues;
    this.headers = options.headers ?? {};
    this.reason = options.reason;
  }
}

/** Returns the same error with additional headers. */
export const withHeaders = (
  { type, message, cause, issues, reason, headers }: ApiError,
  more: ApiError['headers'],
) =>
  new ApiError(type, message, {
    cause,
    headers: { ...headers, ...more },
    ...(issues && { issues }),
    ...(reason !== undefined && { reason }),
  });

export const notFound = (what: string) => new ApiError('not_found_error', `${what} was not found.`);

export const forbidden = (detail: string) => new ApiError('forbidden_error', detail);

/** A response must not be many times as long as the request that it refuses. */
const MAX_NAMED = 100;

/** Refuses a request for its mistakes: the detail describes the first one, since many clients show nothing else. */
export function invalidValues(issues: readonly Issue[], total = issues.length): ApiError {
  const [first] = issues;
  if (!first) throw new Error('invalidValues needs at least one mistake.');
  const others = total - 1;
  const more =
    others === 1
      ? ' There is 1 more mistake; see "errors".'
      : ` There are ${others} more mistakes; see "errors".`;
  // Messages about files begin with the file's path already.
  const isPlaced = [' ', ':', ','].some((end) => first.msg.startsWith(`${first.loc.at(-1)}${end}`));
  const mistake = `${isPlaced ? '' : `${first.loc.join('.')}: `}${first.msg.replace(/(?<![.?!])$/, '.')}`;
  const detail = `${mistake}${others > 0 ? more : ''}`;
  return new ApiError('validation_error', detail, { issues: issues.slice(0, MAX_NAMED) });
}

/** Refuses a value that is well formed but cannot be used here, such as a reference to something that does not exist. */
export const invalidValue = (
  loc: readonly (string | number)[],
  msg: string,
  type = 'invalid_value',
): ApiError => invalidValues([{ loc, msg, type }]);
