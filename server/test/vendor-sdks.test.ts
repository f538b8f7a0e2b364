/** Third-party SDKs against the gateway's APIs: OpenAI's and Anthropic's for Python, and Vercel's Anthropic provider. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createAnthropic } from '@ai-sdk/anthropic';
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import { findPython } from '../../scripts/python-packages.ts';
import { startTestServer } from './harness.ts';

const run = promisify(execFile);
const python = findPython();
const server = await startTestServer();
const origin = await server.app.listen({ host: '127.0.0.1', port: 0 });
const url = `${origin}/api/v1/org/main/inference`;

describe.skipIf(!python)('the SDKs for Python that "npm run setup -- --tests" installs', () => {
  test('read the responses of the gateway', async () => {
    const script = join(import.meta.dirname, 'python/vendor_sdks.py');
    const { stdout } = await run(python ?? '', [script, url, server.owner.key]);
    expect(JSON.parse(stdout)).toEqual({
      response: 'Hello',
      response_items: ['reasoning', 'function_call'],
      response_tools: 'That makes 13.',
      response_refusal: 'tools[0]',
      response_broken: 'response.failed',
      message: 'Hello',
      message_blocks: ['thinking', 'tool_use'],
      message_tools: 'That makes 13.',
      count: true,
      message_refusal: 'not_found_error',
      message_broken: 'api_error',
      models: true,
      similar: true,
    });
  });
});

describe("Vercel's provider of Anthropic", () => {
  const anthropic = createAnthropic({ baseURL: `${url}/v1`, apiKey: server.owner.key });
  const steps = JSON.stringify([
    { reasoning: 'I add.', say: 'Now:', call: [{ name: 'add', arguments: { a: 1 } }] },
  ]);
  const options: LanguageModelV4CallOptions = {
    prompt: [
      { role: 'system', content: `\`\`\`sim\n${steps}\n\`\`\`` },
      { role: 'user', content: [{ type: 'text', text: 'Begin.' }] },
    ],
    tools: [{ type: 'function', name: 'add', inputSchema: { type: 'object', properties: {} } }],
    maxOutputTokens: 100,
  };

  test('reads a complete message', async () => {
    const { content, finishReason, usage } = await anthropic('sim/scripted').doGenerate(options);
    expect(content).toMatchObject([
      { type: 'reasoning', text: 'I add.' },
      { type: 'text', text: 'Now:' },
      { type: 'tool-call', toolName: 'add', input: '{"a":1}' },
    ]);
    expect(finishReason.unified).toBe('tool-calls');
    expect(usage.outputTokens.total).toBeGreaterThan(0);
  });

  test('reads the events of a stream', async () => {
    const { stream } = await anthropic('sim/scripted').doStream(options);
    const parts = await Array.fromAsync(stream);
    expect(parts.filter(({ type }) => type === 'error')).toEqual([]);
    expect(parts.find(({ type }) => type === 'tool-call')).toMatchObject({ input: '{"a":1}' });
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: { unified: 'tool-calls' } });
  });
});
