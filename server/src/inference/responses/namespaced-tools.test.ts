/** Tools in a namespace, as Codex CLI sends them to the Responses API. */
import type { ResponseInput, Tool } from 'openai/resources/responses/responses';
import { expect, test } from 'vitest';
import { answers } from '../../../test/model-provider.ts';
import { startOpenAiWorld } from '../../../test/openai-world.ts';

const { server, provider, clientOf } = await startOpenAiWorld();
const { responses } = clientOf(server.owner.key);
const LONG = 'n'.repeat(80);

const tools: Tool[] = [
  {
    type: 'namespace',
    name: 'agents',
    description: 'Manages agents',
    tools: [
      { type: 'function', name: 'close', parameters: { type: 'object', properties: {} }, strict: false },
      { type: 'custom', name: 'tell' },
    ],
  },
  { type: 'namespace', name: LONG, description: '', tools: [{ type: 'function', name: 'close' }] },
];

test('createModelResponse offers tools of namespaces, and returns calls with their namespace', async () => {
  const toolCalls = [
    { id: 'call_1', name: 'agents__close', arguments: '{"id":1}' },
    { id: 'call_2', name: 'agents__tell', arguments: '{"input":"Hurry."}' },
  ];
  provider.next(answers({ toolCalls }), answers({ toolCalls }));
  const request = { model: 'acme/large', input: 'Hi', tools };
  const output = [
    { type: 'function_call', name: 'close', namespace: 'agents', arguments: '{"id":1}' },
    { type: 'custom_tool_call', name: 'tell', namespace: 'agents', input: 'Hurry.' },
  ];
  const whole = await responses.create(request);
  expect(whole.output).toMatchObject(output);
  const offered = provider.requests.at(-1)?.body['tools'] as { function: { name: string } }[];
  const names = offered.map((tool) => tool.function.name);
  expect(names.slice(0, 2)).toEqual(['agents__close', 'agents__tell']);
  expect(names[2]).toMatch(/^n{55}_[0-9a-f]{8}$/);
  expect((await responses.stream(request).finalResponse()).output).toMatchObject(output);

  const input: ResponseInput = [
    { role: 'user', content: 'Hi' },
    ...(whole.output as ResponseInput),
    { type: 'function_call_output', call_id: 'call_1', output: 'closed' },
    { type: 'custom_tool_call_output', call_id: 'call_2', output: 'told' },
  ];
  await responses.create({ ...request, input, tool_choice: { type: 'function', name: 'close' } });
  expect(provider.requests.at(-1)?.body['messages']).toMatchObject([
    { role: 'user' },
    { tool_calls: [{ function: { name: 'agents__close' } }, { function: { name: 'agents__tell' } }] },
    { role: 'tool' },
    { role: 'tool' },
  ]);
});

test('createModelResponse refuses tools in a namespace that cannot be passed on, by name', async () => {
  const nested = [
    { type: 'namespace', name: 'agents', tools: [{ type: 'web_search' }, { type: 'namespace' }] },
  ];
  const response = await server
    .as(server.owner)
    .post('/org/main/inference/v1/responses', { model: 'acme/large', input: 'Hi', tools: nested });
  expect(response.status).toBe(422);
  expect(response.body.errors).toMatchObject([
    { loc: ['body', 'tools', 0, 'tools', 0] },
    { loc: ['body', 'tools', 0, 'tools', 1] },
  ]);
});
