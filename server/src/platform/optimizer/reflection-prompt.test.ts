import { describe, expect, test } from 'vitest';
import { ReflectionFailed } from './ports.ts';
import { cutMiddle, extractText, renderPrompt } from './reflection-prompt.ts';
import { DEFAULT_TEMPLATE, hasPlaceholders } from './reflection-prompt-template.ts';

const whole = { max_reflection_examples: undefined, max_side_info_chars: undefined };
const render = (records: Record<string, unknown>[], changes = {}) =>
  renderPrompt('text', records, { reflection_prompt_template: '<side_info>', ...whole, ...changes });

describe('renderPrompt', () => {
  test.each([
    [
      'a template that repeats the examples',
      { reflection_prompt_template: '<side_info>'.repeat(90_000) },
      'x'.repeat(100),
    ],
    ['long examples', {}, 'x'.repeat(2_000_001)],
  ])('refuses %s before the prompt is put together', (_, changes, text) => {
    expect(() => render([{ a: text }], changes)).toThrow(ReflectionFailed);
  });

  test('replaces every placeholder literally, the text first', () => {
    const template = '<curr_param>|<side_info>|<curr_param>|<side_info>';
    const prompt = renderPrompt("$& <side_info> $'", [{ a: '$1' }], {
      reflection_prompt_template: template,
      ...whole,
    });
    const record = '# Example 1\n## a\n$1\n\n';
    expect(prompt).toBe(`$& ${record} $'|${record}|$& ${record} $'|${record}`);
  });

  test('renders scalars, objects and lists, at most six headings deep', () => {
    const record = {
      text: '  two\nlines ',
      number: 1.5,
      nothing: null,
      yes: true,
      list: ['x', { key: 'y' }],
      none: [],
      empty: {},
      a: { b: { c: { d: { e: { f: 'deep' } } } } },
    };
    expect(render([record])).toBe(
      '# Example 1\n## text\ntwo\nlines\n\n## number\n1.5\n\n## nothing\nnull\n\n## yes\ntrue\n\n' +
        '## list\n### Item 1\nx\n\n### Item 2\n#### key\ny\n\n## none\n\n## empty\n\n' +
        '## a\n### b\n#### c\n##### d\n###### e\n###### f\ndeep\n\n',
    );
  });

  test('joins records and takes the first ones up to the limit', () => {
    const records = [{ a: 1 }, { a: 2 }, { a: 3 }];
    const two = '# Example 1\n## a\n1\n\n\n\n# Example 2\n## a\n2\n\n';
    expect(render(records, { max_reflection_examples: 2 })).toBe(two);
  });

  test('cuts each record separately', () => {
    const prompt = render([{ a: 'x'.repeat(500) }, { b: 'short' }], { max_side_info_chars: 100 });
    const [first = '', second] = prompt.split('\n\n# Example 2');
    expect(first.length).toBeLessThanOrEqual(100);
    expect(first).toMatch(/^# Example 1\n## a\nx+\n\[… 4\d\d or more characters cut …\]\nx+/);
    expect(second).toBe('\n## b\nshort\n\n');
  });
});

describe('cutMiddle', () => {
  test('leaves text that fits', () => {
    expect([cutMiddle('abc', 3), cutMiddle('abc', undefined)]).toEqual(['abc', 'abc']);
  });

  test.each(Array.from({ length: 8 }, (_, shift) => 60 + shift))(
    'keeps the beginning, the end and whole characters with a limit of %i',
    (limit) => {
      const cut = cutMiddle(`start${'🌍'.repeat(100)}end`, limit);
      expect(cut.length).toBeLessThanOrEqual(limit);
      expect(cut).toMatch(/^start.*end$/s);
      expect(cut.isWellFormed()).toBe(true);
    },
  );

  test('keeps only the mark when the limit leaves no space for more', () => {
    expect(cutMiddle('x'.repeat(50), 1)).toBe('\n[… 49 or more characters cut …]\n');
  });
});

describe('extractText', () => {
  test.each([
    ['plain', ' all of it\n', 'all of it'],
    ['a fence', '```\nnew\n```', 'new'],
    ['a fence with a tag', 'Here:\n```text\nnew\n```\nDone.', 'new'],
    ['a first line with blanks', '```not a tag\nnew\n```', 'not a tag\nnew'],
    ['several fences', '```\na\n```\nb\n```\nc\n```', 'a\n```\nb\n```\nc'],
    ['a fence that is not closed', '```md\nnew', 'new'],
    ['a fence that is not opened', 'new\n```', 'new'],
    ['a fence in the middle', 'a ``` b', 'a ``` b'],
    ['one line', '```new```', 'new'],
    ['two fences with nothing between', '``````', ''],
    ['nothing', '', ''],
  ])('reads %s', (_, answer, text) => {
    expect(extractText(answer)).toBe(text);
  });
});

test('DEFAULT_TEMPLATE has both placeholders', () => {
  expect(hasPlaceholders(DEFAULT_TEMPLATE)).toBe(true);
});
