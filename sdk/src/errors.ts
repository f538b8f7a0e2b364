/** The only error of the client: what went wrong, the id under which the server logged it, and advice. */
import type { ErrorResponse, ValidationErrorItem } from './models.gen.ts';

/** Types reported by the server, and three that only a client can detect. */
export type DrydockErrorType =
  | ErrorResponse['type']
  | 'connection_error'
  | 'timeout_error'
  | 'unexpected_answer_error';

export interface DrydockErrorFields {
  readonly type: DrydockErrorType;
  /** Method and path. */
  readonly request: string;
  readonly detail: string;
  readonly status?: number | undefined;
  readonly issues?: readonly ValidationErrorItem[] | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** Error of every failed call, except for calls that you aborted. */
export class DrydockError extends Error {
  override readonly name = 'DrydockError';
  /** Type of the error, for decisions in code: `not_found_error`, `validation_error`, `connection_error`… */
  readonly type: DrydockErrorType;
  /** HTTP status; undefined when no response arrived. */
  readonly status: number | undefined;
  /** Method and path of the request. */
  readonly request: string;
  /** Description by the server, without the additions of the client in `message`. */
  readonly detail: string;
  /** Each mistake of a refused request: its location and its description. */
  readonly issues: readonly ValidationErrorItem[];
  /** Id of this request in the server's log. */
  readonly requestId: string | undefined;
  /** Seconds that the server asks to wait before the next attempt. */
  readonly retryAfterSeconds: number | undefined;

  constructor(fields: DrydockErrorFields) {
    super(toMessage(fields), { cause: fields.cause });
    this.type = fields.type;
    this.status = fields.status;
    this.request = fields.request;
    this.detail = fields.detail;
    this.issues = fields.issues ?? [];
    this.requestId = fields.requestId;
    this.retryAfterSeconds = fields.retryAfterSeconds;
  }
}

/**
 * Returns whether a caught value is a DrydockError, of one of these types when some are given.
 *
 * @example
 * ```ts
 * try {
 *   await drydock.projects.get({ org: 'main', workspace: 'main', project: 'missing' });
 * } catch (error) {
 *   if (!isDrydockError(error, 'not_found_error')) throw error;
 *   console.log(error.status, error.detail); // → 404 Project "missing" was not found.
 * }
 * ```
 */
export function isDrydockError<Type extends DrydockErrorType>(
  error: unknown,
  ...types: readonly Type[]
): error is DrydockError & { readonly type: Type } {
  return (
    error instanceof DrydockError &&
    (types.length === 0 || (types as readonly DrydockErrorType[]).includes(error.type))
  );
}

function toMessage({
  type,
  status,
  request,
  detail,
  issues,
  requestId,
  ...rest
}: DrydockErrorFields): string {
  const mistakes = (issues ?? []).map(({ loc, msg }) => ` ${loc.join('.')}: ${msg}`).join('');
  const outcome = status === undefined ? type : `${status} ${type}`;
  const id = requestId === undefined ? '' : `, request id ${requestId}`;
  return `${detail}${mistakes} [${request}: ${outcome}${id}] ${adviceFor(type, status, rest.retryAfterSeconds)}`;
}

const CREDENTIAL = 'Give a valid apiKey or accessToken; this one may be mistyped, expired or revoked.';
const REFRESH = 'Get a new access token with auth.refresh, or log in again.';
const CHOOSE_ANOTHER = 'Choose another name, or use what exists.';
const LATER = 'Try again later; if the problem persists, report it with the request id.';

const ADVICE: Partial<Record<DrydockErrorType, string>> = {
  already_exists_error: CHOOSE_ANOTHER,
  conflict_error: 'Read the current state and decide again.',
  connection_error: 'Check baseUrl, and that the server runs and can be reached from here.',
  expired_signature_error: REFRESH,
  expired_token_error: REFRESH,
  member_exists_error: 'The user is a member already. To change the role, use members.update.',
  member_limit_exceeded_error: 'Remove a member, or ask for a higher limit.',
  org_sandbox_capacity_exceeded_error: 'End a sandbox that is not needed, or try again later.',
  timeout_error: 'Try again, or give the call more time with timeoutMs.',
  unexpected_answer_error: 'Check that baseUrl leads to a Drydock server and not to a proxy in front of it.',
  upgrade_required_error: 'Install a newer @drydock/sdk.',
  user_suspended: 'Ask an admin of the platform.',
};

const ADVICE_BY_STATUS: Readonly<Record<number, string>> = {
  400: 'Correct the request and send it again.',
  401: CREDENTIAL,
  403: 'Use a key with the scope that this operation needs, or ask an admin for the role.',
  404: 'Check the ids and slugs; what this credential may not see is not found either.',
  409: 'Read the current state and decide again.',
  422: 'Correct these values and send it again.',
  426: 'Install a newer @drydock/sdk.',
  429: 'Send less at once, or ask an admin whether the limit or the credits can be raised.',
};

function adviceFor(type: DrydockErrorType, status = 0, retryAfterSeconds?: number): string {
  if (retryAfterSeconds !== undefined) return `Try again in ${retryAfterSeconds} s.`;
  return ADVICE[type] ?? ADVICE_BY_STATUS[status] ?? LATER;
}
