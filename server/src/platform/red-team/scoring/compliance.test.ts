import { expect, test } from 'vitest';
import { ATTACKS } from '../attacks/catalogue.ts';
import { CONTROLS, complianceTags, FRAMEWORKS } from './compliance.ts';
import { GOAL_CATEGORY_NAMES } from './severity.ts';

test.each([
  [
    'credential_leak',
    'canary_extraction',
    {
      owasp_llm: ['LLM02:2025'],
      owasp_agentic: ['ASI03'],
      mitre_atlas: ['AML.T0055', 'AML.T0057'],
      nist_ai_rmf: ['MEASURE 2.7', 'MEASURE 2.10'],
      eu_ai_act: ['Article 15'],
    },
  ],
  [
    'system_prompt_leak',
    'baseline',
    {
      owasp_llm: ['LLM07:2025'],
      owasp_agentic: [],
      mitre_atlas: ['AML.T0056'],
      nist_ai_rmf: ['MEASURE 2.7'],
      eu_ai_act: ['Article 15'],
    },
  ],
  [
    'tool_misuse',
    'mcp_description_injection',
    {
      owasp_llm: ['LLM01:2025', 'LLM03:2025', 'LLM06:2025'],
      owasp_agentic: ['ASI01', 'ASI02', 'ASI04'],
      mitre_atlas: ['AML.T0051.001', 'AML.T0053', 'AML.T0110'],
      nist_ai_rmf: ['MEASURE 2.6', 'MEASURE 2.7'],
      eu_ai_act: ['Article 14', 'Article 15'],
    },
  ],
  [
    'bias_fairness',
    'pair',
    {
      owasp_llm: ['LLM01:2025'],
      owasp_agentic: [],
      mitre_atlas: ['AML.T0043.001', 'AML.T0048.002', 'AML.T0054'],
      nist_ai_rmf: ['MEASURE 2.11'],
      eu_ai_act: ['Article 9', 'Article 10'],
    },
  ],
])('complianceTags of %s by %s are those of the category and the attack', (category, attack, expected) => {
  expect(complianceTags(category, attack)).toEqual(expected);
});

test.each([null, 'weather', 'constructor'])(
  'complianceTags treats the unknown category %j as jailbreak_general',
  (category) => {
    expect(complianceTags(category, 'tap')).toEqual(complianceTags('jailbreak_general', 'tap'));
  },
);

test.each(['', 'constructor', 'their_own_attack'])(
  'complianceTags returns only the tags of the category for the unknown attack %j',
  (attack) => {
    expect(complianceTags('supply_chain', attack)).toEqual(complianceTags('supply_chain', 'baseline'));
  },
);

const FORMS = {
  owasp_llm: /^LLM(0[1-9]|10):2025$/,
  owasp_agentic: /^ASI(0[1-9]|10)$/,
  mitre_atlas: /^AML\.T\d{4}(\.\d{3})?$/,
  nist_ai_rmf: /^(GOVERN|MAP|MEASURE|MANAGE) \d\.\d{1,2}$/,
  eu_ai_act: /^Article \d{1,3}$/,
} as const;

const everyPair = GOAL_CATEGORY_NAMES.flatMap((category) =>
  ATTACKS.map(({ name }) => ({ attack: name, tags: complianceTags(category, name) })),
);

test('complianceTags have the format of their framework and a title, for every category and attack', () => {
  for (const { tags } of everyPair)
    for (const { key } of FRAMEWORKS)
      for (const control of tags[key]) {
        expect(control).toMatch(FORMS[key]);
        expect(CONTROLS[control]).toMatch(/^[A-Z]/);
      }
});

test('complianceTags name a technique of ATLAS, a subcategory of NIST and an article, except where ATLAS has none', () => {
  const lacking = everyPair.filter(
    ({ tags }) =>
      tags.mitre_atlas.length === 0 || tags.nist_ai_rmf.length === 0 || tags.eu_ai_act.length === 0,
  );
  // reasoning_exploitation and alignment_integrity, which baseline adds nothing to.
  expect(lacking.map(({ attack }) => attack)).toEqual(['baseline', 'baseline']);
});

test('complianceTags of every attack except baseline add to those of a category', () => {
  const plain = JSON.stringify(complianceTags('bias_fairness', 'baseline'));
  const silent = ATTACKS.filter(
    ({ name }) => JSON.stringify(complianceTags('bias_fairness', name)) === plain,
  );
  expect(silent.map(({ name }) => name)).toEqual(['baseline']);
});

test('CONTROLS beyond the two lists of OWASP are all used by a tag', () => {
  const used = new Set(everyPair.flatMap(({ tags }) => Object.values(tags).flat()));
  const unused = Object.keys(CONTROLS).filter((control) => !used.has(control));
  expect(unused.filter((control) => !/^(LLM|ASI)/.test(control))).toEqual([]);
});

test('FRAMEWORKS name their versions', () => {
  expect(FRAMEWORKS.map(({ key, version }) => [key, version])).toEqual([
    ['owasp_llm', '2025'],
    ['owasp_agentic', '2026'],
    ['mitre_atlas', '5.6.0'],
    ['nist_ai_rmf', '1.0'],
    ['eu_ai_act', 'Regulation (EU) 2024/1689'],
  ]);
});
