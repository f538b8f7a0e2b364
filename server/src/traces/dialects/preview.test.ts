import { expect, test } from 'vitest';
import { previewOf } from './preview.ts';

const json = JSON.stringify;

test.each<[string, unknown, string | null]>([
  ['text', 'Hello', 'Hello'],
  ['JSON that does not parse', '[{"role":"user","content":"Hel', '[{"role":"user","content":"Hel'],
  ['JSON that is not a message', '{"a":1}', '{"a":1}'],
  ['no messages', '[]', null],
  ['a message without content', json([{ role: 'user', parts: [] }]), null],
  ['blank text', '  \n', null],
  [
    'the last user message, not a later tool result',
    json([
      { role: 'user', content: 'first' },
      { role: 'user', content: 'second' },
      { role: 'tool', content: 'result' },
    ]),
    'second',
  ],
  [
    'the last message when there is no user message',
    json([
      { role: 'system', content: 'a' },
      { role: 'tool', content: 'b' },
    ]),
    'b',
  ],
  [
    'parts',
    json([
      {
        role: 'user',
        parts: [
          { type: 'blob', content: 'AAAA' },
          { type: 'text', content: 'a' },
          { type: 'text', content: 'b' },
        ],
      },
    ]),
    'a\nb',
  ],
  ['parts in JSON in JSON', json({ role: 'user', content: json([{ text: 'Hi' }]) }), 'Hi'],
  ['the body of a request', json({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }), 'Hi'],
  ['a number', 5, null],
])('preview of the input: %s', (_name, value, expected) => {
  expect(previewOf(value, 'input')).toBe(expected);
});

test.each<[string, unknown, string | null]>([
  ['the body of an answer', json({ choices: [{ message: { role: 'assistant', content: 'Hi' } }] }), 'Hi'],
  [
    'a call',
    json([{ role: 'assistant', parts: [{ type: 'tool_call', name: 'search', arguments: {} }] }]),
    'search',
  ],
  [
    'not the reasoning',
    json([
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', content: 'hm' },
          { type: 'text', content: 'Hi' },
        ],
      },
    ]),
    'Hi',
  ],
])('preview of the output: %s', (_name, value, expected) => {
  expect(previewOf(value, 'output')).toBe(expected);
});

test('preview finds the text of long JSON without parsing it', () => {
  const filler = { role: 'assistant', parts: [{ type: 'text', content: 'x'.repeat(300_000) }] };
  const question = { role: 'user', parts: [{ type: 'text', content: 'A "quoted" question\n\u00e9' }] };
  expect(previewOf(json([filler, question]), 'input')).toBe('A "quoted" question\n\u00e9');
  expect(previewOf(json([question, filler]), 'output')).toBe('A "quoted" question\n\u00e9');
  expect(previewOf(json([filler]), 'output')).toBe('x'.repeat(256));
  expect(previewOf(`[${'"\\u00e9'.repeat(1)}${'1,'.repeat(100_000)}`, 'input')).toHaveLength(256);
  const escaped = `[{"role":"user","content":"${'\\u00e9'.repeat(50_000)}"}]`;
  expect(previewOf(escaped, 'output')).toBe('\u00e9'.repeat(256));
});

test('preview of ten megabytes of arbitrary data takes almost no time', () => {
  for (const piece of ['[', '{"content":', '"content":"\\', '"role":"user"', ' ', '[{"text":"']) {
    const text = `[${piece.repeat(10_000_000 / piece.length)}`;
    const times = [1, 2, 3].map(() => {
      const started = performance.now();
      previewOf(text, 'input');
      previewOf(text, 'output');
      return performance.now() - started;
    });
    expect(Math.min(...times)).toBeLessThan(500);
  }
});
