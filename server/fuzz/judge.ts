/** Rules for every response, whatever was requested. */
import { type ErrorType, STATUS_BY_TYPE } from '../src/platform/errors.ts';
import { type ApiDocument, JSON_TYPE, type Operation } from './document.ts';
import type { Exchange } from './exchange.ts';
import type { ParsedResponse } from './parse-responses.ts';
import { type FuzzRequest, PIPELINED } from './request.ts';
import { findMisfit } from './validate-response.ts';
import { NEEDS_PROVIDER } from './without-sandboxes.ts';

/**
 * The statuses of the contract, without those of a broken server: no request may lead to a 500. The server under test has no other server
 * behind it, and neither requests nor versions are limited: there is no 504 or 426, and 429 and 502 occur only for counted attempts and
 * missing components.
 */
const REFUSALS = [400, 401, 403, 404, 409, 422];
const REFUSALS_WITHOUT_OPERATION = [400, 401, 404];
const REFUSALS_OF_STRANGERS = [400, 401];
/** Guessing is always slowed down, and so are operations that cost a hash or much memory. */
const THROTTLED = new Set([
  'signUp',
  'logIn',
  'updateUser',
  'createDeviceCode',
  'approveDeviceCode',
  'pushTraces',
]);
/** Smaller bodies arrive together with the head. */
const UNREAD_BYTES = 64 * 1024;
const PLACES = new Set<unknown>(['body', 'query', 'path', 'header']);

/** Stack traces, file paths and messages of PostgreSQL, which reveal internals. */
const LEAKS =
  /\n\s+at |node_modules|file:\/\/|\.ts:\d+|syntax error at|violates \w+|relation "|column "|duplicate key value|\bSELECT\b.*\bFROM\b|invalid input syntax|FST_ERR/;

/** @returns the problems, in a few words each; empty if there are none */
export function judge(document: ApiDocument, request: FuzzRequest, exchange: Exchange): string[] {
  const { responses, ending, milliseconds } = exchange;
  if (request.delivery === 'abandoned')
    return responses.flatMap((response) => judgeResponse(document, request, response));
  if (ending === 'hung') return [`no answer within ${Math.round(milliseconds)} ms`];
  const mayBeSilent = request.isMalframed || request.delivery === 'cut' || isCutOff(request, exchange);
  const found = mayBeSilent ? undefined : judgeNumber(request, exchange);
  return [
    ...(found ? [found] : []),
    ...responses.flatMap((response) => judgeResponse(document, request, response)),
  ];
}

/**
 * An operation that needs no body, or refuses the caller, responds without reading it. If the client wants the connection closed, Node
 * closes it while the rest still arrives, and TCP drops the response with it.
 */
const isCutOff = ({ body, headers }: FuzzRequest, { ending }: Exchange) =>
  ending === 'reset' &&
  (body?.length ?? 0) > UNREAD_BYTES &&
  headers.some(([name, value]) => name === 'Connection' && value === 'close');

/** Requires as many responses as requests, unless a refusal announces that it is the last. */
function judgeNumber(
  { delivery, method }: FuzzRequest,
  { responses, ending, leftover }: Exchange,
): string | undefined {
  const wanted = delivery === 'pipelined' ? PIPELINED : 1;
  const last = responses.at(-1);
  if (!last) return `the connection was ${ending} without an answer`;
  const isLast = !last.isWhole || (last.status >= 400 && last.headers.get('connection') === 'close');
  if (responses.length > wanted || (responses.length < wanted && !isLast))
    return `${responses.length} answers to ${wanted} requests, then the connection was ${ending}`;
  // Node's parser failed before it knew the method: such a refusal has a body even for HEAD.
  if (method === 'HEAD' && last.status === 400 && isLast) return undefined;
  return leftover > 0 ? `${leftover} bytes belong to no answer` : undefined;
}

function judgeResponse(document: ApiDocument, request: FuzzRequest, response: ParsedResponse): string[] {
  const { method, target } = request;
  const operation = document.match(method === 'HEAD' ? 'GET' : method, target);
  const { status } = response;
  const found = [judgeStatus(request, operation, response)];
  if (!response.headers.has('x-request-id')) found.push('X-Request-Id is missing');
  if (response.headers.get('x-content-type-options') !== 'nosniff') found.push('nosniff is missing');
  const declared = status >= 400 ? [{ mediaType: JSON_TYPE }] : (operation?.responses.get(status) ?? []);
  found.push(
    judgeMediaType(
      declared.map(({ mediaType }) => mediaType),
      response,
    ),
  );
  if (method !== 'HEAD' && response.isWhole)
    found.push(
      status >= 400
        ? judgeEnvelope(document, formOf(operation?.path ?? target, response), response)
        : judgeSuccess(document, operation, response),
    );
  if (method !== 'HEAD' && operation?.access.level === 'artifact') found.push(judgeSecrecy(response));
  return found.filter((mistake) => mistake !== undefined);
}

function judgeStatus(
  request: FuzzRequest,
  operation: Operation | undefined,
  response: ParsedResponse,
): string | undefined {
  const { status } = response;
  const successes = operation ? [...operation.responses.keys()].filter((declared) => declared < 400) : [];
  const isForAnyone = operation?.isPublic === true;
  const allowed =
    request.isStranger && !isForAnyone
      ? REFUSALS_OF_STRANGERS
      : operation
        ? [...successes, ...REFUSALS, ...moreRefusals(operation, response)]
        : REFUSALS_WITHOUT_OPERATION;
  if (PAGE_STATUSES.has(status) && isPage(request)) return undefined;
  return allowed.includes(status) ? undefined : `status ${status} is not among ${allowed.join(' ')}`;
}

const moreRefusals = ({ id }: Operation, { body }: ParsedResponse) => [
  ...(THROTTLED.has(id) ? [429] : []),
  ...(NEEDS_PROVIDER.has(id) ? [502] : []),
  // The organization has no sandboxes after an admin has left it.
  ...(NEEDS_PROVIDER.has(id) && body.includes(NO_CAPACITY) ? [429] : []),
];

const NO_CAPACITY = '"org_sandbox_capacity_exceeded_error"';

const PAGE_STATUSES = new Set([200, 302]);

/** The pages of the documentation are not operations, and are public. The router takes `*` for the first of them. */
const isPage = ({ method, target }: FuzzRequest) =>
  ['GET', 'HEAD'].includes(method) &&
  /^(\*|(https?:\/\/[^/]*)?\/(api\/v1\/(docs|openapi\.json).*)?)([?#].*)?$/.test(target);

interface Envelope {
  readonly code: number;
  readonly detail: string;
  readonly type: ErrorType;
  readonly error?: { readonly drydock_type?: ErrorType };
  readonly errors?: readonly { readonly loc: readonly unknown[] }[] | null;
}

const mediaTypeOf = ({ headers }: ParsedResponse) => headers.get('content-type')?.split(';')[0] ?? '';

function judgeMediaType(declared: readonly string[], response: ParsedResponse): string | undefined {
  const given = mediaTypeOf(response);
  return declared.length === 0 || declared.includes(given)
    ? undefined
    : `the answer is ${given}, not ${declared.join(' or ')}`;
}

/** Refusals of Node's parser, for which the operation is unknown. */
const UNREAD = /"detail":"The request (is not valid HTTP|headers are too large)\."/;

/** Errors for clients of OpenAI and Anthropic have formats of their own. */
function formOf(path: string, { status, body }: ParsedResponse): string {
  const below = /^\/api\/v1\/org\/[^/?]+\/inference\/v1(\/messages)?(?=[/?]|$)/.exec(path);
  const isRead = status !== 400 || !UNREAD.test(body.toString('utf8'));
  if (!below || !isRead) return 'ErrorResponse';
  return below[1] === undefined ? 'InferenceErrorResponse' : 'MessageErrorResponse';
}

function judgeEnvelope(
  document: ApiDocument,
  form: string,
  { status, body }: ParsedResponse,
): string | undefined {
  const text = body.toString('utf8');
  const envelope = parse(text) as Envelope | undefined;
  const misfit = findMisfit(document, document.named(form), envelope);
  if (!envelope || misfit) return `the envelope is wrong: ${misfit ?? text.slice(0, 200)}`;
  if (envelope.code !== status) return `code ${envelope.code} in an answer of status ${status}`;
  const type = form === 'MessageErrorResponse' ? envelope.error?.drydock_type : envelope.type;
  if (!type || STATUS_BY_TYPE[type] !== status) return `${type} in an answer of status ${status}`;
  if (envelope.detail.trim() === '') return 'the detail is empty';
  const leak = textsOf(envelope).find((part) => LEAKS.test(part));
  if (leak !== undefined) return `the error tells too much: ${leak.slice(0, 200)}`;
  if (type === 'validation_error' && !envelope.errors?.length) return 'a validation_error names no mistake';
  const stray = envelope.errors?.find(({ loc }) => !PLACES.has(loc[0]));
  return stray && `the place ${JSON.stringify(stray.loc)} does not start with body, query, path or header`;
}

/** A private resource that outsiders could read if it were public must look as if it did not exist. */
function judgeSecrecy({ status, body }: ParsedResponse): string | undefined {
  const isDisclosed = status === 403 && !/lacks the scope/.test(body.toString('utf8'));
  return isDisclosed ? 'a 403 tells that there is something' : undefined;
}

function judgeSuccess(
  document: ApiDocument,
  operation: Operation | undefined,
  response: ParsedResponse,
): string | undefined {
  const { status, body, headers } = response;
  if (!operation?.responses.has(status)) return undefined;
  if (status === 302 && !URL.canParse(headers.get('location') ?? '')) return 'a 302 leads nowhere';
  const all = operation.responses.get(status) ?? [];
  const declared = all.find(({ mediaType }) => mediaType === mediaTypeOf(response)) ?? all[0];
  if (!declared) return body.length > 0 ? `a ${status} has a body` : undefined;
  if (declared.schema.format === 'binary') return undefined;
  const text = body.toString('utf8');
  if (text === '') return 'the answer is empty';
  const value = declared.mediaType === JSON_TYPE ? parse(text) : text;
  if (value === undefined) return 'the answer is not JSON';
  const misfit = findMisfit(document, declared.schema, value);
  return misfit && `the answer does not fit its schema at ${misfit}`;
}

/** Returns every text within, before its conversion to JSON, which hides line breaks and quotes. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
