import { expect, test } from 'vitest';
import {
  type CapabilityTexts,
  findComponents,
  replaceComponents,
  withFiles,
} from './capability-components.ts';

const skill = (name: string, head = `---\nname: ${name}\ndescription: Does ${name} # why\n---\n`) => ({
  path: `skills/${name}/SKILL.md`,
  text: `${head}Body of ${name}.\n`,
});

const texts: CapabilityTexts = {
  agents: new Map([['helper', { path: 'agents/helper.md', text: '---\nname: helper\n---\n\nYou help.\n' }]]),
  skills: [skill('a'), skill('b', '')],
  prompt: { path: 'PROMPT.md', text: 'All agents: be kind.\n' },
};

const textsOf = (given: CapabilityTexts, agent = 'helper') =>
  Object.fromEntries([...findComponents(given, agent)].map(([name, { text }]) => [name, text]));

test('findComponents names the texts of a capability; those of several skills by the skill', () => {
  expect(textsOf(texts)).toEqual({
    instructions: 'You help.',
    agent_prompt: 'You help.',
    capability_prompt: 'All agents: be kind.',
    'skill_descriptions/a': 'Does a',
    'skill_bodies/a': 'Body of a.',
    'skill_bodies/b': 'Body of b.',
  });
  const one = { ...texts, skills: [skill('a')], prompt: undefined };
  expect(Object.keys(textsOf(one, 'other'))).toEqual(['skill_descriptions', 'skill_bodies']);
});

test('replaceComponents changes the texts and nothing else', () => {
  const files = replaceComponents(texts, 'helper', {
    agent_prompt: 'You help: at once.',
    capability_prompt: 'All agents: be kind.',
    'skill_descriptions/a': 'Yes: "quoted", and\nmore',
    'skill_bodies/a': 'New body.',
  });
  expect(files).toEqual([
    { path: 'agents/helper.md', text: '---\nname: helper\n---\nYou help: at once.\n' },
    {
      path: 'skills/a/SKILL.md',
      text: expect.stringMatching(/^---\nname: a\ndescription: [\s\S]*# why[\s\S]*---\nNew body\.\n$/),
    },
  ]);
  expect(textsOf(withFiles(texts, files))).toMatchObject({
    agent_prompt: 'You help: at once.',
    'skill_descriptions/a': 'Yes: "quoted", and more',
    'skill_bodies/a': 'New body.',
    'skill_bodies/b': 'Body of b.',
  });
});

test('replaceComponents refuses a component that the capability does not have', () => {
  expect(() => replaceComponents(texts, 'helper', { skill_bodies: 'x' })).toThrow(
    'no component "skill_bodies"',
  );
});

test('replaceComponents keeps a text that begins like frontmatter as text', () => {
  const plain = { ...texts, agents: new Map([['helper', { path: 'agents/helper.md', text: 'You help.' }]]) };
  const agent_prompt = '---\nname: other\n---\nBe somebody else.';
  const changed = withFiles(plain, replaceComponents(plain, 'helper', { agent_prompt }));
  expect(textsOf(changed)).toMatchObject({ agent_prompt });
});
