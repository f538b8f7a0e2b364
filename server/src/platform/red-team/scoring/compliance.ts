/** Maps a finding to the controls that it tests: by the category of its goal, and by its attack. */
import { type GoalCategory, toGoalCategory } from './severity.ts';

export const FRAMEWORKS = [
  {
    key: 'owasp_llm',
    name: 'OWASP Top 10 for LLM Applications',
    version: '2025',
    url: 'https://genai.owasp.org/resource/owasp-top-10-for-llm-applications-2025/',
  },
  {
    key: 'owasp_agentic',
    name: 'OWASP Top 10 for Agentic Applications',
    version: '2026',
    url: 'https://genai.owasp.org/resource/owasp-top-10-for-agentic-applications-for-2026/',
  },
  { key: 'mitre_atlas', name: 'MITRE ATLAS', version: '5.6.0', url: 'https://atlas.mitre.org/' },
  {
    key: 'nist_ai_rmf',
    name: 'NIST AI Risk Management Framework',
    version: '1.0',
    url: 'https://doi.org/10.6028/NIST.AI.100-1',
  },
  {
    key: 'eu_ai_act',
    name: 'EU Artificial Intelligence Act',
    version: 'Regulation (EU) 2024/1689',
    url: 'https://eur-lex.europa.eu/eli/reg/2024/1689/oj',
  },
] as const;

type Framework = (typeof FRAMEWORKS)[number]['key'];

/** The two lists of OWASP are complete; of the others, the controls that a tag names. Titles of NIST's are shortened. */
const TITLES = {
  owasp_llm: {
    'LLM01:2025': 'Prompt Injection',
    'LLM02:2025': 'Sensitive Information Disclosure',
    'LLM03:2025': 'Supply Chain',
    'LLM04:2025': 'Data and Model Poisoning',
    'LLM05:2025': 'Improper Output Handling',
    'LLM06:2025': 'Excessive Agency',
    'LLM07:2025': 'System Prompt Leakage',
    'LLM08:2025': 'Vector and Embedding Weaknesses',
    'LLM09:2025': 'Misinformation',
    'LLM10:2025': 'Unbounded Consumption',
  },
  owasp_agentic: {
    ASI01: 'Agent Goal Hijack',
    ASI02: 'Tool Misuse and Exploitation',
    ASI03: 'Identity and Privilege Abuse',
    ASI04: 'Agentic Supply Chain Vulnerabilities',
    ASI05: 'Unexpected Code Execution',
    ASI06: 'Memory and Context Poisoning',
    ASI07: 'Insecure Inter-Agent Communication',
    ASI08: 'Cascading Failures',
    ASI09: 'Human-Agent Trust Exploitation',
    ASI10: 'Rogue Agents',
  },
  mitre_atlas: {
    'AML.T0010': 'AI Supply Chain Compromise',
    'AML.T0011.001': 'User Execution: Malicious Package',
    'AML.T0029': 'Denial of AI Service',
    'AML.T0031': 'Erode AI Model Integrity',
    'AML.T0034': 'Cost Harvesting',
    'AML.T0043.001': 'Craft Adversarial Data: Black-Box Optimization',
    'AML.T0048.001': 'External Harms: Reputational Harm',
    'AML.T0048.002': 'External Harms: Societal Harm',
    'AML.T0048.003': 'External Harms: User Harm',
    'AML.T0051.000': 'LLM Prompt Injection: Direct',
    'AML.T0051.001': 'LLM Prompt Injection: Indirect',
    'AML.T0053': 'AI Agent Tool Invocation',
    'AML.T0054': 'LLM Jailbreak',
    'AML.T0055': 'Unsecured Credentials',
    'AML.T0056': 'Extract LLM System Prompt',
    'AML.T0057': 'LLM Data Leakage',
    'AML.T0065': 'LLM Prompt Crafting',
    'AML.T0068': 'LLM Prompt Obfuscation',
    'AML.T0080.001': 'AI Agent Context Poisoning: Thread',
    'AML.T0099': 'AI Agent Tool Data Poisoning',
    'AML.T0110': 'AI Agent Tool Poisoning',
  },
  nist_ai_rmf: {
    'MANAGE 2.4': 'Systems can be superseded, disengaged or deactivated',
    'MANAGE 3.1': 'Risks from third-party resources are monitored',
    'MEASURE 2.5': 'The system is demonstrated to be valid and reliable',
    'MEASURE 2.6': 'Safety risks are evaluated regularly',
    'MEASURE 2.7': 'Security and resilience are evaluated',
    'MEASURE 2.10': 'Privacy risk is examined',
    'MEASURE 2.11': 'Fairness and bias are evaluated',
  },
  eu_ai_act: {
    'Article 9': 'Risk management system',
    'Article 10': 'Data and data governance',
    'Article 14': 'Human oversight',
    'Article 15': 'Accuracy, robustness and cybersecurity',
    'Article 25': 'Responsibilities along the AI value chain',
    'Article 55': 'Obligations of providers of general-purpose AI models with systemic risk',
  },
} as const satisfies Record<Framework, Record<string, string>>;

/** The title of each control by its id. */
export const CONTROLS: Readonly<Record<string, string>> = Object.assign({}, ...Object.values(TITLES));

type Titles = typeof TITLES;
type ControlId = { [Key in Framework]: keyof Titles[Key] }[Framework];

const BY_CATEGORY: Readonly<Record<GoalCategory, readonly ControlId[]>> = {
  credential_leak: [
    'LLM02:2025',
    'ASI03',
    'AML.T0055',
    'AML.T0057',
    'MEASURE 2.7',
    'MEASURE 2.10',
    'Article 15',
  ],
  tool_misuse: ['LLM06:2025', 'ASI02', 'AML.T0053', 'MEASURE 2.6', 'MEASURE 2.7', 'Article 14', 'Article 15'],
  system_prompt_leak: ['LLM07:2025', 'AML.T0056', 'MEASURE 2.7', 'Article 15'],
  harmful_content: ['LLM01:2025', 'AML.T0048.003', 'AML.T0054', 'MEASURE 2.6', 'Article 9', 'Article 55'],
  pii_extraction: ['LLM02:2025', 'AML.T0057', 'MEASURE 2.10', 'Article 10', 'Article 15'],
  jailbreak_general: ['LLM01:2025', 'ASI01', 'AML.T0054', 'MEASURE 2.7', 'Article 15', 'Article 55'],
  refusal_bypass: ['LLM01:2025', 'AML.T0054', 'MEASURE 2.6', 'MEASURE 2.7', 'Article 15', 'Article 55'],
  // Neither list of OWASP has an entry for bias.
  bias_fairness: ['AML.T0048.002', 'MEASURE 2.11', 'Article 9', 'Article 10'],
  content_policy: ['LLM01:2025', 'AML.T0048.001', 'AML.T0054', 'MEASURE 2.6', 'Article 9'],
  reasoning_exploitation: ['LLM09:2025', 'ASI01', 'MEASURE 2.5', 'Article 15'],
  supply_chain: [
    'LLM03:2025',
    'ASI04',
    'AML.T0010',
    'AML.T0011.001',
    'MANAGE 3.1',
    'MEASURE 2.7',
    'Article 15',
    'Article 25',
  ],
  resource_exhaustion: ['LLM10:2025', 'AML.T0029', 'AML.T0034', 'MEASURE 2.7', 'Article 15'],
  // Neither list of OWASP has an entry for compression that weakens refusals.
  quantization_safety: ['AML.T0031', 'MEASURE 2.5', 'MEASURE 2.6', 'Article 15'],
  alignment_integrity: ['LLM06:2025', 'ASI10', 'MANAGE 2.4', 'MEASURE 2.6', 'Article 14'],
  multi_turn_escalation: ['LLM01:2025', 'ASI01', 'AML.T0054', 'MEASURE 2.7', 'Article 15', 'Article 55'],
};

/** What the technique adds to the category. `baseline` adds nothing, because it asks for the goal as it is. */
const BY_ATTACK: Readonly<Record<string, readonly ControlId[]>> = {
  best_of_n: ['LLM01:2025', 'AML.T0054', 'AML.T0068'],
  prefix_injection: ['LLM01:2025', 'AML.T0051.000', 'AML.T0054'],
  refusal_suppression: ['LLM01:2025', 'AML.T0051.000', 'AML.T0054'],
  role_play: ['LLM01:2025', 'AML.T0054', 'AML.T0065'],
  many_shot: ['LLM01:2025', 'AML.T0054', 'AML.T0065'],
  skeleton_key: ['LLM01:2025', 'AML.T0051.000', 'AML.T0054'],
  policy_puppetry: ['LLM01:2025', 'AML.T0051.000', 'AML.T0054'],
  transform_sweep: ['LLM01:2025', 'AML.T0054', 'AML.T0068'],
  pair: ['LLM01:2025', 'AML.T0043.001', 'AML.T0054'],
  tap: ['LLM01:2025', 'AML.T0043.001', 'AML.T0054'],
  crescendo: ['LLM01:2025', 'AML.T0054', 'AML.T0065'],
  goat: ['LLM01:2025', 'AML.T0043.001', 'AML.T0054'],
  echo_chamber: ['LLM01:2025', 'ASI06', 'AML.T0054', 'AML.T0080.001'],
  file_injection: ['LLM01:2025', 'ASI01', 'AML.T0051.001'],
  tool_result_injection: ['LLM01:2025', 'ASI01', 'AML.T0051.001', 'AML.T0099'],
  web_page_injection: ['LLM01:2025', 'ASI01', 'AML.T0051.001'],
  mcp_description_injection: ['LLM01:2025', 'LLM03:2025', 'ASI01', 'ASI04', 'AML.T0051.001', 'AML.T0110'],
  system_prompt_extraction: ['LLM07:2025', 'AML.T0056'],
  canary_extraction: ['LLM02:2025', 'AML.T0057'],
  tool_misuse: ['LLM06:2025', 'ASI02', 'AML.T0053'],
};

/** @returns the ids of controls by framework, in the order of the frameworks; a category that is not known is `jailbreak_general` */
export function complianceTags(goalCategory: string | null, attackName: string): Record<Framework, string[]> {
  const byAttack = Object.hasOwn(BY_ATTACK, attackName) ? (BY_ATTACK[attackName] ?? []) : [];
  const tagged = new Set<string>([...BY_CATEGORY[toGoalCategory(goalCategory)], ...byAttack]);
  const entries = FRAMEWORKS.map(({ key }) => [
    key,
    Object.keys(TITLES[key]).filter((control) => tagged.has(control)),
  ]);
  return Object.fromEntries(entries) as Record<Framework, string[]>;
}
