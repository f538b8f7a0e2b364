import { expect, test } from 'vitest';
import { parseAgentFile, toSystemPrompt } from './capability-prompt.ts';

test.each([
  ['Just text.\n', { prompt: 'Just text.' }],
  [
    '---\nname: scout\ndescription: >\n  Finds\n  things\n---\n\nYou scout.\n',
    { name: 'scout', description: 'Finds things', prompt: 'You scout.' },
  ],
  ['\uFEFF---\r\nname: scout\r\n---\r\nYou scout.', { name: 'scout', prompt: 'You scout.' }],
  ['---\nname: [1]\nmodel: x\n---\nText', { prompt: 'Text' }],
  ['---\ndescription: Use this: always\n---\nText', { prompt: 'Text' }],
  ['---\n- a\n---\nText\n---\nmore', { prompt: 'Text\n---\nmore' }],
  ['---\nnever closed', { prompt: '---\nnever closed' }],
  ['---\n---\n', { prompt: '' }],
])('parseAgentFile(%j) reads the frontmatter and leaves it out', (text, file) => {
  expect(parseAgentFile(text)).toEqual(file);
});

test('parseAgentFile reads frontmatter at the beginning alone', () => {
  const text = 'First.\n---\nname: x\n---\nLast.';
  expect(parseAgentFile(text)).toEqual({ prompt: text });
});

test.each([
  `---\n${'['.repeat(200_000)}\n---\nText`,
  `---\na: &a [x, x]\nb: &b [*a, *a]\nname: *b\n---\nText`,
  `---\nname: ${'x'.repeat(300_000)}\n---\nText`,
  `---\n${'? '.repeat(8_000)}\n---\nText`,
])('parseAgentFile leaves out frontmatter that costs too much (%#)', (text) => {
  expect(parseAgentFile(text)).toEqual({ prompt: 'Text' });
});

const skills = [
  { path: 'skills/pdf/SKILL.md', text: '---\nname: pdf-tools\ndescription: Reads PDFs.\n---\n# Long text' },
  { path: 'skills/plain/SKILL.md', text: '# No frontmatter' },
];

test('toSystemPrompt is the text of the agent and an index of the skills', () => {
  const agent = '---\nname: scout\n---\nYou scout.\n';
  expect(toSystemPrompt({ agent, skills, capabilityFolder: '/capabilities/web' })).toBe(`You scout.

# Skills

Each skill is a file of instructions. When a skill applies to your task, read its file before you go on.

- pdf-tools: Reads PDFs. (/capabilities/web/skills/pdf/SKILL.md)
- plain (/capabilities/web/skills/plain/SKILL.md)`);
});

test('toSystemPrompt is the prompt of the basic agent when there is no other', () => {
  const prompt = toSystemPrompt({ skills: [], capabilityFolder: '' });
  expect(prompt).toMatch(/\/workspace.*without calling a tool/s);
  expect(toSystemPrompt({ skills, capabilityFolder: '/c' }).startsWith(`${prompt}\n\n# Skills`)).toBe(true);
});

test('toSystemPrompt puts the prompt of the capability after that of the agent', () => {
  const prompt = toSystemPrompt({
    agent: 'You scout.',
    prompt: 'Be kind.\n',
    skills,
    capabilityFolder: '/c',
  });
  expect(prompt.startsWith('You scout.\n\nBe kind.\n\n# Skills')).toBe(true);
});
