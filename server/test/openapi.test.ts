import { expect, test } from 'vitest';
import { SCOPES } from '../src/platform/auth/scopes.ts';
import { ERROR_STATUSES } from '../src/platform/errors.ts';
import { startTestServer } from './harness.ts';
import { type DocumentedOperation, document, operations } from './operations.ts';

const server = await startTestServer();

test('openapi.json matches what the server generates', async () => {
  const { status, body } = await server.as(undefined).get('/openapi.json');
  expect(status).toBe(200);
  expect(body).toEqual(document);
  expect(document.openapi).toBe('3.1.0');
});

test('every path starts with /api/v1', () => {
  expect(Object.keys(document.paths).filter((path) => !path.startsWith('/api/v1/'))).toEqual([]);
});

test('operation ids are unique', () => {
  const ids = operations.map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(30);
  expect(new Set(ids).size).toBe(ids.length);
});

test.each(operations)('$id has a summary, a tag, one success and all error responses', (operation) => {
  expect(operation.id).toMatch(/^[a-z][A-Za-z]+$/);
  expect(operation.summary).toMatch(/^[A-Z].*[^.]$/);
  expect(operation.tags).toHaveLength(1);
  const statuses = Object.keys(operation.responses).map(Number);
  expect(statuses.filter((status) => status >= 400)).toEqual([...ERROR_STATUSES]);
  expect(expectedSuccesses(operation)).toContainEqual(statuses.filter((status) => status < 400));
  expect(Object.values(operation.responses).map(({ description }) => description)).not.toContain(
    'Default Response',
  );
});

/** POST operations that change nothing: their responses cost more than a GET should. */
const READING_ACTIONS = [
  'downloadDataset',
  'downloadModel',
  'queryWorkspace',
  'estimateEvaluation',
  'estimateOptimizationJob',
  'estimateTrainingJob',
  'estimateAssessment',
  'previewTransform',
];

/** POST operations that create nothing. */
const ACTIONS = new Set([
  'logIn',
  'refreshLogin',
  'logOut',
  'logInInBrowser',
  'refreshInBrowser',
  'logOutInBrowser',
  'completeOnboarding',
  'approveDeviceCode',
  'exchangeDeviceCode',
  'archiveSession',
  'unarchiveSession',
  'freezeSession',
  'rewindSession',
  'pushTraces',
  'startRuntime',
  'pauseRuntime',
  'resumeRuntime',
  'resetRuntime',
  'keepRuntimeAlive',
  'execInRuntime',
  'callCapabilityMcpTool',
  'startCapabilityWorker',
  'stopCapabilityWorker',
  'createChatCompletion',
  'createModelResponse',
  'createModelMessage',
  'countMessageTokens',
  'createEmbeddings',
  'cancelExport',
  'cancelEvaluation',
  'retryEvaluation',
  'retryEvaluationItem',
  'cancelEvaluationItem',
  'cancelOptimizationJob',
  'cancelTrainingJob',
  'claimTrainingJob',
  'reportTrainingProgress',
  'linkTrainingFiles',
  'uploadTrainingCheckpoint',
  'serveModel',
  'startAssessment',
  'cancelAssessment',
  'cancelGateCheck',
  'updateFindings',
  ...READING_ACTIONS,
]);

/** Resources with a client-chosen name or id may already exist. */
const REPEATABLE = /^(publish|complete|createRuntime$|saveSession|appendTranscript|compactTranscript)/;

/** The sets of success statuses that an operation may have. */
function expectedSuccesses({ method, id, responses }: DocumentedOperation): number[][] {
  if (method === 'delete') return [[204]];
  if ((method === 'put' || method === 'post') && REPEATABLE.test(id) && !ACTIONS.has(id)) return [[200, 201]];
  if (method === 'post' && !ACTIONS.has(id)) return [[201]];
  // The end of a stream that was already read has a response of its own.
  if (method === 'get' && 'text/event-stream' in (responses[200]?.content ?? {})) return [[200, 204]];
  return method === 'get' ? [[200], [302], [101]] : [[200]];
}

test('redirects have a Location header and no content', () => {
  const redirects = operations.flatMap(({ responses }) => responses[302] ?? []);
  for (const redirect of redirects) {
    expect(redirect).toMatchObject({ headers: { Location: { schema: { type: 'string' } } } });
    expect(redirect).not.toHaveProperty('content');
  }
});

test('every operation except the public ones requires exactly one scope of the list', () => {
  const closed = operations.filter(({ access }) => access.level !== 'public');
  expect(closed.filter(({ access }) => !access.scope || !SCOPES.includes(access.scope))).toEqual([]);
  // A request to a port or terminal input may change whatever the program there changes.
  const isRead = ({ method, id }: DocumentedOperation) =>
    (method === 'get' && !['reachRuntimePort', 'openTerminal'].includes(id)) || READING_ACTIONS.includes(id);
  expect(closed.filter((one) => isRead(one) !== one.access.scope?.endsWith(':read'))).toEqual([]);
});

test('every reference in the document resolves', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)];
  expect(references.length).toBeGreaterThan(100);
  const missing = references.filter(([, name = '']) => !(name in document.components.schemas));
  expect(missing).toEqual([]);
});

test('the document uses only formats that other tools know', () => {
  const withoutExamples = JSON.stringify(document, (key, value) => (key === 'example' ? undefined : value));
  const formats = [...withoutExamples.matchAll(/"format":"(.*?)"/g)].map(([, format]) => format);
  expect(new Set(formats)).toEqual(new Set(['binary', 'date-time', 'uri', 'uuid']));
});

test('a command is required in both of its forms', () => {
  expect(document.components.schemas.RuntimeExecRequest).toMatchObject({ required: ['command'] });
});

test('no schema is defined twice', () => {
  expect(Object.keys(document.components.schemas).filter((name) => name.endsWith('Input'))).toEqual([]);
});
