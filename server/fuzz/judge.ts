/** What must hold for every answer, whatever was asked. */
import type { ApiDocument, Operation } from './document.ts';
import type { Exchange } from './exchange.ts';
import type { Answer } from './parse-answers.ts';
import type { FuzzRequest } from './request.ts';
import { findMisfit } from './validate-answer.ts';

/** The contract's, less what tells that something is broken: nothing that a client sends may lead to a 500. */
const REFUSALS = [400, 401, 403, 404, 409, 422, 426, 429, 502, 504];
const REFUSALS_WITHOUT_OPERATION = [400, 401, 404, 426, 429];
const REFUSALS_OF_STRANGERS = [400, 401, 426, 429];
const PLACES = new Set<unknown>(['body', 'query', 'path', 'header']);

/** Traces, paths of files, and what PostgreSQL says: a client must not see how we are made. */
const LEAKS =
  /\n\s+at |node_modules|file:\/\/|\.ts:\d+|syntax error at|violates \w+|relation "|column "|duplicate key value|\bSELECT\b.*\bFROM\b|invalid input syntax|FST_ERR/;

/** @returns what is wrong, in a few words each; nothing when all is well */
export function judge(document: ApiDocument, request: FuzzRequest, exchange: Exchange): string[] {
  const { answers, ending, leftover, milliseconds } = exchange;
  if (request.delivery === 'abandoned')
    return answers.flatMap((answer) => judgeAnswer(document, request, answer));
  if (ending === 'hung') return [`no answer within ${Math.round(milliseconds)} ms`];
  const mayBeSilent = request.isMalframed || request.delivery === 'cut';
  if (answers.length === 0 && !mayBeSilent) return [`the connection was ${ending} without an answer`];
  if (leftover > 0 && !mayBeSilent && request.delivery !== 'pipelined')
    return [`${leftover} bytes belong to no answer`];
  return answers.flatMap((answer) => judgeAnswer(document, request, answer));
}

function judgeAnswer(document: ApiDocument, request: FuzzRequest, answer: Answer): string[] {
  const { method, target } = request;
  const operation = document.match(method === 'HEAD' ? 'GET' : method, target);
  const { status } = answer;
  const found = [judgeStatus(request, operation, status)];
  if (!answer.headers.has('x-request-id')) found.push('X-Request-Id is missing');
  if (answer.headers.get('x-content-type-options') !== 'nosniff') found.push('nosniff is missing');
  if (method === 'HEAD' || !answer.isWhole) return found.filter((mistake) => mistake !== undefined);
  found.push(status >= 400 ? judgeEnvelope(document, answer) : judgeSuccess(document, operation, answer));
  return found.filter((mistake) => mistake !== undefined);
}

function judgeStatus(
  request: FuzzRequest,
  operation: Operation | undefined,
  status: number,
): string | undefined {
  const successes = operation ? [...operation.answers.keys()].filter((declared) => declared < 400) : [];
  const isForAnyone = operation?.isPublic === true;
  const allowed =
    request.isStranger && !isForAnyone
      ? REFUSALS_OF_STRANGERS
      : operation
        ? [...successes, ...REFUSALS]
        : REFUSALS_WITHOUT_OPERATION;
  if (status < 400 && isPage(request.target)) return undefined;
  return allowed.includes(status) ? undefined : `status ${status} is not among ${allowed.join(' ')}`;
}

/** The pages of the documentation are no operations, and are for anyone. The router takes `*` for the first of them. */
const isPage = (target: string) =>
  /^(\*|(https?:\/\/[^/]*)?\/(api\/v1\/(docs|openapi\.json).*)?)([?#].*)?$/.test(target);

interface Envelope {
  readonly code: number;
  readonly detail: string;
  readonly type: string;
  readonly errors?: readonly { readonly loc: readonly unknown[] }[] | null;
}

function judgeEnvelope(document: ApiDocument, { status, headers, body }: Answer): string | undefined {
  const text = body.toString('utf8');
  if (!headers.get('content-type')?.startsWith('application/json')) return 'the error is not JSON';
  const envelope = parse(text) as Envelope | undefined;
  const misfit = findMisfit(document, document.named('ErrorResponse'), envelope);
  if (!envelope || misfit) return `the envelope is wrong: ${misfit ?? text.slice(0, 200)}`;
  if (envelope.code !== status) return `code ${envelope.code} in an answer of status ${status}`;
  if (envelope.detail.trim() === '') return 'the detail is empty';
  if (LEAKS.test(envelope.detail)) return `the detail tells too much: ${envelope.detail.slice(0, 200)}`;
  if (envelope.type === 'validation_error' && !envelope.errors?.length)
    return 'a validation_error names no mistake';
  const stray = envelope.errors?.find(({ loc }) => !PLACES.has(loc[0]));
  return stray && `the place ${JSON.stringify(stray.loc)} does not start with body, query, path or header`;
}

function judgeSuccess(
  document: ApiDocument,
  operation: Operation | undefined,
  { status, headers, body }: Answer,
): string | undefined {
  if (status === 204) return body.length > 0 ? 'a 204 has a body' : undefined;
  const schema = operation?.answers.get(status);
  if (!schema || !headers.get('content-type')?.startsWith('application/json')) return undefined;
  const misfit = findMisfit(document, schema, parse(body.toString('utf8')));
  return misfit && `the answer does not fit its schema at ${misfit}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
