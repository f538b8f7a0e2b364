/** Turns answers that are no success, and requests without an answer, into a DrydockError. */
import { DrydockError, type DrydockErrorType } from './errors.ts';
import type { ErrorResponse, MessageErrorResponse, ValidationErrorItem } from './models.gen.ts';

/** A proxy before Drydock speaks no envelope; of its statuses only these say the same as ours. */
const TYPE_OF_PROXY_STATUS: Readonly<Record<number, DrydockErrorType>> = {
  429: 'usage_limit_exceeded_error',
  502: 'bad_gateway_error',
  504: 'gateway_timeout_error',
};

/** Far more than any envelope; a page of something else need not be read to its end. */
const LONGEST_ERROR_CHARACTERS = 64 * 1024;

/** Reads as much of the answer as an error may hold. */
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

/** Also for what an event stream says at its end, when the status is long sent. */
export function fromEnvelope(envelope: unknown, response: Response, request: string): DrydockError {
  const said = isEnvelope(envelope) ? envelope : undefined;
  const status = said?.code ?? response.status;
  return new DrydockError({
    request,
    status,
    type: (said && typeOf(said)) ?? TYPE_OF_PROXY_STATUS[status] ?? 'unexpected_answer_error',
    detail: said?.detail ?? `The answer, with status ${status}, is none of Drydock's.`,
    issues: Array.isArray(said?.errors) ? said.errors.filter(isIssue) : undefined,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: readRetryAfter(response.headers.get('retry-after')),
  });
}

/** Errors in the form of Anthropic have the type "error", and ours beside it. */
function typeOf(envelope: ErrorResponse | MessageErrorResponse): DrydockErrorType {
  return envelope.type === 'error' ? envelope.error.drydock_type : envelope.type;
}

export function unexpectedAnswer(response: Response, request: string, detail: string): DrydockError {
  return new DrydockError({
    type: 'unexpected_answer_error',
    request,
    detail,
    status: response.status || undefined,
    requestId: response.headers.get('x-request-id') ?? undefined,
  });
}

/** A redirect is never followed: a POST would become a GET, and the credential would go elsewhere. */
export function findRedirect(response: Response, request: string): DrydockError | undefined {
  // Browsers hide where it leads, and the status.
  const isRedirect = response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400);
  if (!isRedirect) return undefined;
  const target = response.headers.get('location') ?? 'another address';
  return unexpectedAnswer(response, request, `The answer is a redirect to ${target}. Correct baseUrl.`);
}

export function connectionError(request: string, baseUrl: string, cause: unknown): DrydockError {
  const reason = deepestMessage(cause);
  const detail = `The connection to ${baseUrl} failed${reason ? ` (${reason})` : ''}.`;
  return new DrydockError({ type: 'connection_error', request, detail, cause });
}

/** `undefined` when it is not JSON. */
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

/** Seconds, or a date. */
function readRetryAfter(header: string | null): number | undefined {
  if (!header) return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}

/** fetch says no more than "fetch failed"; why is in its cause. */
function deepestMessage(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return deepestMessage(error.cause) || error.message || ((error as { code?: string }).code ?? '');
}
