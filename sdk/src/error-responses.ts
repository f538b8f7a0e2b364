/** Converts unsuccessful and missing responses into a DrydockError. */
import { DrydockError, type DrydockErrorType } from './errors.ts';
import type { ErrorResponse, MessageErrorResponse, ValidationErrorItem } from './models.gen.ts';

/** Error types for statuses of a proxy in front of Drydock, which sends no envelope; only these have the same meaning. */
const TYPE_OF_PROXY_STATUS: Readonly<Record<number, DrydockErrorType>> = {
  429: 'usage_limit_exceeded_error',
  502: 'bad_gateway_error',
  504: 'gateway_timeout_error',
};

/** Maximum length that is read: far more than any envelope. */
const LONGEST_ERROR_CHARACTERS = 64 * 1024;

/** Reads as much of the response as an error may contain. */
export async function toDrydockError(response: Response, request: string): Promise<DrydockError> {
  return fromEnvelope(parseJson(await readStart(response)), response, request);
}

async function readStart(response: Response): Promise<string> {
  if (!response.body) return '';
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (text.length < LONGEST_ERROR_CHARACTERS) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += decoder.decode(value as Uint8Array, { stream: true });
  }
  reader.cancel().catch(() => undefined);
  return text;
}

/** Converts an envelope, including one sent at the end of an event stream, when the status was sent long before. */
export function fromEnvelope(envelope: unknown, response: Response, request: string): DrydockError {
  const error = isEnvelope(envelope) ? envelope : undefined;
  const status = error?.code ?? response.status;
  return new DrydockError({
    request,
    status,
    type: (error && typeOf(error)) ?? TYPE_OF_PROXY_STATUS[status] ?? 'unexpected_answer_error',
    detail: error?.detail ?? `The response with status ${status} does not come from Drydock.`,
    issues: Array.isArray(error?.errors) ? error.errors.filter(isIssue) : undefined,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: readRetryAfter(response.headers.get('retry-after')),
  });
}

/** Errors in Anthropic's form have the type "error", and ours in another field. */
function typeOf(envelope: ErrorResponse | MessageErrorResponse): DrydockErrorType {
  return envelope.type === 'error' ? envelope.error.drydock_type : envelope.type;
}

export function unexpectedResponse(response: Response, request: string, detail: string): DrydockError {
  return new DrydockError({
    type: 'unexpected_answer_error',
    request,
    detail,
    status: response.status || undefined,
    requestId: response.headers.get('x-request-id') ?? undefined,
  });
}

/** Redirects are never followed: a POST would become a GET, and the credential would be sent elsewhere. */
export function findRedirect(response: Response, request: string): DrydockError | undefined {
  // Browsers hide the target and the status.
  const isRedirect = response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400);
  if (!isRedirect) return undefined;
  const target = response.headers.get('location') ?? 'another address';
  return unexpectedResponse(response, request, `The response is a redirect to ${target}. Correct baseUrl.`);
}

export function connectionError(request: string, baseUrl: string, cause: unknown): DrydockError {
  const reason = deepestMessage(cause);
  const detail = `The connection to ${baseUrl} failed${reason ? ` (${reason})` : ''}.`;
  return new DrydockError({ type: 'connection_error', request, detail, cause });
}

/** Returns `undefined` for invalid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export function isEnvelope(value: unknown): value is ErrorResponse | MessageErrorResponse {
  const { code, detail, type } = (value ?? {}) as Partial<Record<keyof ErrorResponse, unknown>>;
  return typeof code === 'number' && typeof detail === 'string' && typeof type === 'string';
}

function isIssue(value: unknown): value is ValidationErrorItem {
  const { loc, msg } = (value ?? {}) as Partial<Record<keyof ValidationErrorItem, unknown>>;
  return Array.isArray(loc) && typeof msg === 'string';
}

/** Parses seconds, or a date. */
function readRetryAfter(header: string | null): number | undefined {
  if (!header) return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}

/** fetch only says "fetch failed"; the reason is in its cause. */
function deepestMessage(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return deepestMessage(error.cause) || error.message || ((error as { code?: string }).code ?? '');
}
