/** Shows the judge wrong responses, all of which it must find. */
import { expect, test } from 'vitest';
import { document as committed } from '../test/operations.ts';
import { ApiDocument } from './document.ts';
import { judge } from './judge.ts';
import { type ParsedResponse, parseResponses } from './parse-responses.ts';
import type { FuzzRequest } from './request.ts';
import { findMisfit } from './validate-response.ts';

const document = new ApiDocument(committed);

const listing = document.operations.find(({ id }) => id === 'listProjects');
const request = (change: Partial<FuzzRequest> = {}): FuzzRequest => {
  if (!listing) throw new Error('the document has no listProjects');
  return {
    operation: listing,
    method: 'GET',
    target: '/api/v1/org/main/ws/main/projects',
    headers: [],
    body: undefined,
    delivery: 'whole',
    cutAt: 0,
    isStranger: false,
    isMalframed: false,
    changes: [],
    ...change,
  };
};

const JSON_HEADERS = {
  'x-request-id': '1',
  'x-content-type-options': 'nosniff',
  'content-type': 'application/json',
};

const HTML_HEADERS = { ...JSON_HEADERS, 'content-type': 'text/html; charset=utf-8' };
const TEXT_HEADERS = { ...JSON_HEADERS, 'content-type': 'text/plain; version=0.0.4' };
const CLOSING = { ...JSON_HEADERS, connection: 'close' };
const BARE_HEADERS = { 'x-request-id': '1', 'x-content-type-options': 'nosniff' };

const NOWHERE = { target: '/api/v1/nowhere' };
const DOCS = { target: '/api/v1/docs' };
const MODELS = { target: '/api/v1/org/main/inference/v1/models' };
const PROJECT = '/api/v1/org/main/ws/main/projects/a';

const response = (
  status: number,
  body: unknown,
  headers: Record<string, string> = JSON_HEADERS,
): ParsedResponse => ({
  status,
  headers: new Map(Object.entries(headers)),
  body: Buffer.from(JSON.stringify(body)),
  isWhole: true,
});

const verdict = (given: ParsedResponse, asked = request()) =>
  judge(document, asked, { responses: [given], ending: 'answered', leftover: 0, milliseconds: 1 });

const error = (change: object = {}) => ({
  code: 404,
  detail: 'Not there.',
  type: 'not_found_error',
  ...change,
});

const refusal = (code: number, type: string) => response(code, error({ code, type }));
const mistaken = (change: object) => {
  const errors = [{ loc: ['body'], msg: 'm', type: 't', ...change }];
  return response(422, error({ code: 422, type: 'validation_error', errors }));
};

test.each<[string, ParsedResponse, FuzzRequest]>([
  ['an answer', response(200, []), request()],
  ['an answer without a body', { ...response(200, []), body: Buffer.alloc(0) }, request({ method: 'HEAD' })],
  ['a refusal', response(404, error()), request()],
  ['a refusal that names a mistake', mistaken({}), request()],
  [
    'a 429 where guessing is slowed down',
    refusal(429, 'usage_limit_exceeded_error'),
    request({ method: 'POST', target: '/api/v1/auth/login' }),
  ],
  [
    'a 429 where no sandbox is left to be started',
    refusal(429, 'org_sandbox_capacity_exceeded_error'),
    request({ method: 'POST', target: '/api/v1/org/main/ws/main/runtimes/a/start' }),
  ],
  [
    'a text where a text is declared',
    response(200, 'x', TEXT_HEADERS),
    request({ target: '/api/v1/metrics' }),
  ],
  ['a page', response(200, 'x', HTML_HEADERS), request(DOCS)],
  [
    'what the parser refuses, whomever it was for',
    response(400, error({ code: 400, type: 'invalid_error', detail: 'The request is not valid HTTP.' })),
    request(MODELS),
  ],
])('judge accepts %s', (_name, given, asked) => {
  expect(verdict(given, asked)).toEqual([]);
});

test.each<[string, number, ParsedResponse | undefined, object, boolean]>([
  ['three answers', 3, undefined, {}, true],
  ['two answers', 2, undefined, {}, false],
  ['four answers', 4, undefined, {}, false],
  ['three answers and a half', 3, undefined, { leftover: 7 }, false],
  ['a refusal that goes on', 0, response(404, error()), {}, false],
  ['a refusal that ends the connection', 0, response(404, error(), CLOSING), {}, true],
  ['a success that ends the connection', 0, response(200, [], CLOSING), {}, false],
  ['a stream that stays open', 1, { ...response(200, []), isWhole: false }, {}, true],
])('judge handles three pipelined requests and %s', (_name, count, last, change, isGood) => {
  const responses = [...Array.from({ length: count }, () => response(200, [])), ...(last ? [last] : [])];
  const exchange = { responses, ending: 'closed', leftover: 0, milliseconds: 1, ...change } as const;
  expect(judge(document, request({ delivery: 'pipelined' }), exchange).length === 0).toBe(isGood);
});

test.each<[string, ParsedResponse, FuzzRequest]>([
  ['a 502', refusal(502, 'bad_gateway_error'), request()],
  ['a 504', refusal(504, 'gateway_timeout_error'), request()],
  [
    'a 429 of a start that is not for its capacity',
    refusal(429, 'usage_limit_exceeded_error'),
    request({ method: 'POST', target: '/api/v1/org/main/ws/main/runtimes/a/start' }),
  ],
  ['a 429 where nothing is counted', refusal(429, 'usage_limit_exceeded_error'), request()],
  ['a 429 where there is no operation', refusal(429, 'usage_limit_exceeded_error'), request(NOWHERE)],
  ['a 426 where every version is good', refusal(426, 'upgrade_required_error'), request()],
  ['a type of another status', refusal(404, 'server_error'), request()],
  ['a refusal without what clients of OpenAI read', refusal(400, 'invalid_error'), request(MODELS)],
  ['a page where JSON is declared', response(200, [], HTML_HEADERS), request()],
  ['a success of no declared kind', response(200, [], BARE_HEADERS), request()],
  ['a page for HEAD where JSON is declared', response(200, [], HTML_HEADERS), request({ method: 'HEAD' })],
  ['nothing where JSON is declared', { ...response(200, []), body: Buffer.alloc(0) }, request()],
  [
    'nothing where a text is declared',
    { ...response(200, '', TEXT_HEADERS), body: Buffer.alloc(0) },
    request({ target: '/api/v1/metrics' }),
  ],
  ['half of a JSON', { ...response(200, []), body: Buffer.from('[') }, request()],
  ['a body of a 204', response(204, []), request({ method: 'DELETE', target: PROJECT })],
  ['success of a page for POST', response(200, 'x', HTML_HEADERS), request({ ...DOCS, method: 'POST' })],
  ['an odd success of a page', response(206, 'x', HTML_HEADERS), request(DOCS)],
  ['a trace in the message of a mistake', mistaken({ msg: 'x\n    at y (z)' }), request()],
  ['words of PostgreSQL in the place of a mistake', mistaken({ loc: ['body', 'column "x"'] }), request()],
  ['a 500', response(500, error({ code: 500, type: 'server_error' })), request()],
  ['a status that is not declared', response(201, []), request()],
  ['a 405', response(405, error({ code: 405 })), request()],
  ['success for a stranger', response(200, []), request({ isStranger: true })],
  ['success where there is no operation', response(200, []), request({ target: '/api/v1/nowhere' })],
  ['another code than the status', response(404, error({ code: 400 })), request()],
  ['an unknown type', response(404, error({ type: 'odd_error' })), request()],
  ['an error without detail', response(404, error({ detail: ' ' })), request()],
  ['an error that is no JSON', response(404, error(), HTML_HEADERS), request()],
  ['a trace', response(404, error({ detail: 'x\n    at y (z.ts:1:2)' })), request()],
  [
    'a mistake at no known place',
    response(
      422,
      error({ code: 422, type: 'validation_error', errors: [{ loc: ['name'], msg: 'm', type: 't' }] }),
    ),
    request(),
  ],
  [
    'a validation error without a mistake',
    response(422, error({ code: 422, type: 'validation_error' })),
    request(),
  ],
  ['an answer that does not fit its schema', response(200, [{ id: 7 }]), request()],
  [
    'no request id',
    response(200, [], { 'x-content-type-options': 'nosniff', 'content-type': 'application/json' }),
    request(),
  ],
])('judge finds %s', (_name, given, asked) => {
  expect(verdict(given, asked)).not.toEqual([]);
});

test('judge finds a body in the response to HEAD, unless the method was never read', () => {
  const head = (given: ParsedResponse) => {
    const exchange = { responses: [given], ending: 'closed', leftover: 80, milliseconds: 1 } as const;
    return judge(document, request({ method: 'HEAD' }), exchange);
  };
  expect(head(response(200, []))).not.toEqual([]);
  expect(head(response(404, error(), CLOSING))).not.toEqual([]);
  expect(head(response(400, error({ code: 400, type: 'invalid_error' }), CLOSING))).toEqual([]);
});

test('judge finds a missing response, unless the request had no proper end', () => {
  const silence = { responses: [], ending: 'closed', leftover: 0, milliseconds: 1 } as const;
  expect(judge(document, request(), silence)).not.toEqual([]);
  expect(judge(document, request({ delivery: 'cut' }), silence)).toEqual([]);
  expect(judge(document, request({ delivery: 'cut' }), { ...silence, ending: 'hung' })).not.toEqual([]);
});

test('judge finds a lost response, unless a large body met a connection that was to be closed', () => {
  const lost = { responses: [], ending: 'reset', leftover: 0, milliseconds: 1 } as const;
  const large = { body: Buffer.alloc(100_000), headers: [['Connection', 'close'] as const] };
  expect(judge(document, request(large), lost)).toEqual([]);
  expect(judge(document, request(large), { ...lost, ending: 'closed' })).not.toEqual([]);
  expect(judge(document, request({ ...large, headers: [] }), lost)).not.toEqual([]);
  expect(judge(document, request({ ...large, body: Buffer.alloc(1_000) }), lost)).not.toEqual([]);
});

test.each<[string, object, unknown, string | undefined]>([
  ['a missing field', { type: 'object', required: ['a'] }, {}, '$: lacks a'],
  [
    'a field that is not declared',
    { type: 'object', properties: { a: {} } },
    { b: 1 },
    '$: holds b, which is not declared',
  ],
  ['a type', { type: 'array', items: { type: 'integer' } }, [1, 1.5], '$[1]: is number, not integer'],
  ['null among types', { type: ['string', 'null'] }, null, undefined],
  ['a uuid', { type: 'string', format: 'uuid' }, 'x', '$: is no uuid'],
  ['a time without milliseconds', { format: 'date-time' }, '2030-01-01T00:00:00Z', '$: is no date-time'],
  ['forms', { anyOf: [{ type: 'null' }, { const: 1 }] }, 2, '$: fits none of its forms'],
])('findMisfit finds %s', (_name, schema, value, misfit) => {
  expect(findMisfit(document, schema, value)).toBe(misfit);
});

test('parseAnswers reads responses one after the other, skips an interim one and leaves an incomplete one', () => {
  const one = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';
  const chunked = 'HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n';
  const text = `HTTP/1.1 100 Continue\r\n\r\n${one}${chunked}${one.slice(0, -1)}`;
  const { responses, rest } = parseResponses(Buffer.from(text), 'GET', false);
  expect(responses.map(({ status, body }) => [status, body.toString()])).toEqual([
    [200, '{}'],
    [404, '[]'],
  ]);
  expect(rest).toHaveLength(one.length - 1);
});
