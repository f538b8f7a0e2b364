/** The judge must see what is wrong: here it is shown wrong answers. */
import { expect, test } from 'vitest';
import { document as committed } from '../test/operations.ts';
import { ApiDocument } from './document.ts';
import { judge } from './judge.ts';
import { type Answer, parseAnswers } from './parse-answers.ts';
import type { FuzzRequest } from './request.ts';
import { findMisfit } from './validate-answer.ts';

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

const answer = (status: number, body: unknown, headers: Record<string, string> = JSON_HEADERS): Answer => ({
  status,
  headers: new Map(Object.entries(headers)),
  body: Buffer.from(JSON.stringify(body)),
  isWhole: true,
});

const verdict = (given: Answer, asked = request()) =>
  judge(document, asked, { answers: [given], ending: 'answered', leftover: 0, milliseconds: 1 });

const error = (change: object = {}) => ({
  code: 404,
  detail: 'Not there.',
  type: 'not_found_error',
  ...change,
});

test('a good answer and a good refusal are found good', () => {
  expect(verdict(answer(200, []))).toEqual([]);
  expect(verdict(answer(404, error()))).toEqual([]);
});

test.each<[string, Answer, FuzzRequest]>([
  ['a 500', answer(500, error({ code: 500, type: 'server_error' })), request()],
  ['a status that is not declared', answer(201, []), request()],
  ['a 405', answer(405, error({ code: 405 })), request()],
  ['success for a stranger', answer(200, []), request({ isStranger: true })],
  ['success where there is no operation', answer(200, []), request({ target: '/api/v1/nowhere' })],
  ['another code than the status', answer(404, error({ code: 400 })), request()],
  ['an unknown type', answer(404, error({ type: 'odd_error' })), request()],
  ['an error without detail', answer(404, error({ detail: ' ' })), request()],
  [
    'an error that is no JSON',
    answer(404, error(), { ...JSON_HEADERS, 'content-type': 'text/html' }),
    request(),
  ],
  ['a trace', answer(404, error({ detail: 'x\n    at y (z.ts:1:2)' })), request()],
  [
    'a mistake at no known place',
    answer(
      422,
      error({ code: 422, type: 'validation_error', errors: [{ loc: ['name'], msg: 'm', type: 't' }] }),
    ),
    request(),
  ],
  [
    'a validation error without a mistake',
    answer(422, error({ code: 422, type: 'validation_error' })),
    request(),
  ],
  ['an answer that does not fit its schema', answer(200, [{ id: 7 }]), request()],
  ['no request id', answer(200, [], { 'x-content-type-options': 'nosniff' }), request()],
])('%s is found', (_name, given, asked) => {
  expect(verdict(given, asked)).not.toEqual([]);
});

test('silence is found, but where the request had no proper end', () => {
  const silence = { answers: [], ending: 'closed', leftover: 0, milliseconds: 1 } as const;
  expect(judge(document, request(), silence)).not.toEqual([]);
  expect(judge(document, request({ delivery: 'cut' }), silence)).toEqual([]);
  expect(judge(document, request({ delivery: 'cut' }), { ...silence, ending: 'hung' })).not.toEqual([]);
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
])('a schema finds %s', (_name, schema, value, misfit) => {
  expect(findMisfit(document, schema, value)).toBe(misfit);
});

test('answers are read one after the other, an interim one is skipped, and half of one is left', () => {
  const one = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';
  const chunked = 'HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n';
  const text = `HTTP/1.1 100 Continue\r\n\r\n${one}${chunked}${one.slice(0, -1)}`;
  const { answers, rest } = parseAnswers(Buffer.from(text), 'GET', false);
  expect(answers.map(({ status, body }) => [status, body.toString()])).toEqual([
    [200, '{}'],
    [404, '[]'],
  ]);
  expect(rest).toHaveLength(one.length - 1);
});
