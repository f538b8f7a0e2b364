import { expect, test } from 'vitest';
import { ApiError } from './errors.ts';
import { parseManifest, writeManifest } from './manifest-yaml.ts';

test.each<[string, string, string]>([
  ['nothing', '', 'must be a mapping'],
  ['a list', '- a', 'must be a mapping'],
  ['a word', 'a', 'must be a mapping'],
  ['two documents', 'a: 1\n---\nb: 2', 'line 2: Source contains multiple documents'],
  ['an open bracket', 'a: 1\nb: [1, 2', 'line 2: '],
  ['a tab', 'a:\n\tb: 1', 'line 2: '],
  ['a key twice', 'a: 1\nb: 2\na: 3', 'line 3: the key "a" is there twice'],
  ['a key twice, deep', 'a:\n  - b: 1\n    b: 2', 'line 3: the key "b" is there twice'],
  ['a key that is a number', 'a: 1\n1: 2', 'line 2: the key 1 must be text'],
  ['a key that is a list', '? [a]\n: 1', 'must be text'],
  ['a tag of its own', 'a: 1\nb: !thing x', 'line 2: Unresolved tag: !thing'],
  ['a binary', 'b: !!binary aGk=', 'line 1: Unresolved tag'],
  ['infinity', 'a: .inf', 'must not hold the number Infinity'],
  ['no number', 'a: .nan', 'must not hold the number NaN'],
  ['an integer too large', 'a: 12345678901234567890', 'write it in quotes'],
  ['a NUL', 'a: "x\\0y"', 'NUL character'],
  ['a NUL in a key', '"x\\0y": 1', 'NUL character'],
  ['a lone surrogate', 'a: "\\ud800"', 'lone surrogate'],
  ['an alias to nothing', 'a: *b', 'Unresolved alias'],
  ['a set', 'a: !!set {x}', 'Unresolved tag'],
  ['a time', 'a: !!timestamp 2020-01-01', 'Unresolved tag'],
  ['an alias to itself', 'a: &a [*a]', 'nested deeper'],
  ['an alias bomb', bomb(), 'refers to its own parts too often'],
  ['deep brackets', `a: ${'['.repeat(70)}${']'.repeat(70)}`, 'nested deeper than 64'],
  ['very deep brackets', '['.repeat(200_000), 'nested deeper than 64'],
  ['very deep braces', '{a: '.repeat(12_000), 'nested deeper than 64'],
  ['very many dashes', '- '.repeat(24_000), 'nested deeper than 64'],
  ['very many questions', '? '.repeat(24_000), 'nested deeper than 64'],
  ['very many values', `a: [${'1,'.repeat(30_000)}]`, 'too long to be read'],
  [
    'very many keys',
    Array.from({ length: 40_000 }, (_, index) => `k${index}:`)
      .join('\n')
      .slice(0, 250_000),
    'too long',
  ],
  ['too much', `# ${'x'.repeat(262_144)}`, 'must not be longer than 262144 bytes'],
])('YAML with %s is refused', (_what, yaml, text) => {
  const started = performance.now();
  expect(() => parseManifest('model.yaml', Buffer.from(yaml))).toThrow(
    expect.objectContaining({
      type: 'validation_error',
      issues: [{ loc: ['body', 'model.yaml'], msg: expect.stringContaining(text), type: 'invalid_yaml' }],
    }),
  );
  expect(performance.now() - started).toBeLessThan(20_000);
});

test('YAML that is not UTF-8 is refused', () => {
  expect(() => parseManifest('model.yaml', Buffer.from([0x61, 0x3a, 0x20, 0xff]))).toThrow(ApiError);
});

/** Each line expands to nine times the one before. */
function bomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let index = 1; index < 10; index++)
    lines.push(`a${index}: &a${index} [${Array.from({ length: 9 }, () => `*a${index - 1}`).join(', ')}]`);
  return lines.join('\n');
}

test('text that looks deeply nested but is not is accepted', () => {
  const list = Array.from({ length: 1_000 }, (_, index) => `- "[{${index}"\n`).join('');
  const { value } = parseManifest(
    'model.yaml',
    Buffer.from(`a:\n${list}b: |\n${' [\n - [ - \n'.repeat(500)}`),
  );
  expect(value.a).toHaveLength(1_000);
  expect(value.b).toHaveLength(4_500);
});

test('a manifest given as a value is written within the same limits', () => {
  const write = (value: object) => writeManifest({ ...value }, ['body', 'manifest']);
  expect(write({ a: [1, 'yes'], b: { c: null } })).toBe('a:\n  - 1\n  - yes\nb:\n  c: null\n');
  const nested = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) as unknown;
  for (const [value, text] of [
    [{ a: Array(120_000).fill(1) }, 'too long to be read'],
    [{ a: Array(20_000).fill(1) }, 'too long to be read'],
    [{ a: nested }, 'nested deeper than 64'],
    [{ a: Infinity }, 'number Infinity'],
    [{ a: 2 ** 60 }, 'write it in quotes'],
    [{ a: '\0' }, 'NUL character'],
    [{ '\ud800': 1 }, 'lone surrogate'],
    [{ a: 'x'.repeat(262_144) }, 'must not be longer than 262144 bytes'],
  ] as const) {
    const issue = { loc: ['body', 'manifest'], msg: expect.stringContaining(text), type: 'invalid_value' };
    expect(() => write(value)).toThrow(expect.objectContaining({ issues: [issue] }));
  }
});

test('YAML 1.1 is read as YAML 1.2', () => {
  const { value } = parseManifest(
    'model.yaml',
    Buffer.from('%YAML 1.1\n---\na: yes\nb: 2020-01-01\nc: 010\n'),
  );
  expect(value).toEqual({ a: 'yes', b: '2020-01-01', c: 10 });
});

test('YAML values follow the core schema', () => {
  const text = 'a: yes\nb: 0x10\nc: 2020-01-01\nd: &x {e: ~}\nf: *x\n"__proto__": 1\ng: |\n  two\n  lines\n';
  const { value } = parseManifest('model.yaml', Buffer.from(`\uFEFF${text}`));
  expect(JSON.parse(JSON.stringify(value))).toEqual(
    JSON.parse(
      '{"a":"yes","b":16,"c":"2020-01-01","d":{"e":null},"f":{"e":null},"__proto__":1,"g":"two\\nlines\\n"}',
    ),
  );
});
