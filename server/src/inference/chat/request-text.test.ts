import { expect, test } from 'vitest';
import { withModelName } from './request-text.ts';

const renamed = (text: string) => withModelName(text, 'acme/small', 'small "1"');

test.for([
  ['{"model":"acme/small","messages":[]}', '{"model":"small \\"1\\"","messages":[]}'],
  ['{ "seed": 1.0, "model" :\n\t"acme/small" }', '{ "seed": 1.0, "model" :\n\t"small \\"1\\"" }'],
  // What only looks like it is within a text.
  [
    '{"messages":[{"role":"user","content":"\\"model\\":\\"acme/small\\""}],"model":"acme/small"}',
    '{"messages":[{"role":"user","content":"\\"model\\":\\"acme/small\\""}],"model":"small \\"1\\""}',
  ],
])('the name is changed, and nothing else: %s', ([text, expected]) => {
  expect(renamed(text as string)).toBe(expected);
});

test.for([
  ['there are two of them', '{"model":"acme/large","model":"acme/small"}'],
  ['something within has one, too', '{"metadata":{"model":"acme/small"},"model":"acme/small"}'],
  ['it is a value as well', '{"model":"acme/small","messages":[{"role":"model"}]}'],
  ['its name is written with escapes', '{"mod\\u0065l":"acme/small","x":{"model":"acme/small"}}'],
  ['its value is written with escapes', '{"model":"acme\\/small"}'],
  ['another one was read', '{"model":"acme/smaller"}'],
  ['it is a value, and no name', '{"messages":["model","acme/small"]}'],
])('it is left to be written anew where %s', ([, text]) => {
  expect(renamed(text as string)).toBeUndefined();
});

test('for names of all kinds, what is sent is what would be written', () => {
  for (const name of ['a/b', 'a/"b"', 'a/\\', 'a/\n', 'a/é', 'a/\u2028', 'a/$&', 'a/model', 'model'])
    for (const space of [undefined, 2]) {
      const request = { seed: 1, model: name, messages: [{ role: 'user', content: 'Which "model"?' }] };
      const text = withModelName(JSON.stringify(request, null, space), name, `${name}!`);
      expect(text === undefined || JSON.parse(text)).toEqual(
        text === undefined || { ...request, model: `${name}!` },
      );
      if (/^a\/[b$é]/.test(name)) expect(text, name).toBeDefined();
    }
});
