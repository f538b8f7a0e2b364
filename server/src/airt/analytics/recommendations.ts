/** Recommends next steps according to the successful attacks: one sentence for each category of goals, and for kinds of attacks. */
import type { GoalCategory } from '../../platform/red-team/scoring/severity.ts';

const BY_CATEGORY: Readonly<Record<GoalCategory, string>> = {
  credential_leak:
    'Take secrets out of prompts and of the agent’s environment; give tools short-lived credentials instead.',
  tool_misuse:
    'Ask for confirmation before tools that send, pay or delete, and limit each tool to what the task needs.',
  system_prompt_leak: 'Treat the system prompt as public: move anything confidential to the server side.',
  harmful_content: 'Add an output filter for this category, and test it with the prompts of these findings.',
  pii_extraction: 'Redact personal data before it reaches the model, and filter it in responses.',
  jailbreak_general:
    'Harden the system prompt against the framings of these findings, and screen prompts before the model.',
  refusal_bypass:
    'Repeat the refusal policy at the end of the system prompt, and train on the prompts of these findings.',
  bias_fairness: 'Add examples of the affected groups to the evaluation set, and review the policy for them.',
  content_policy: 'State the content policy in the system prompt with examples of what is refused.',
  reasoning_exploitation: 'Check conclusions outside the model, and do not let its reasoning unlock actions.',
  supply_chain: 'Pin and review the packages, tools and datasets that the agent may load.',
  resource_exhaustion: 'Limit turns, tokens and time of a request, and alert on outliers.',
  quantization_safety:
    'Run this assessment on the exact weights that are deployed, not on the original ones.',
  alignment_integrity: 'Evaluate fine-tuned versions against these findings before they are released.',
  multi_turn_escalation:
    'Judge the whole conversation instead of single messages, and end conversations that escalate.',
};

const BY_ATTACK: Readonly<Record<string, string>> = {
  file_injection: 'Mark content of files as data, and require confirmation for actions that a file asks for.',
  tool_result_injection: 'Mark tool results as data, and do not follow instructions in them.',
  web_page_injection: 'Strip hidden elements from pages before the model reads them, and mark pages as data.',
  mcp_description_injection:
    'Review and pin the descriptions of MCP tools, and refuse servers that change them.',
  transform_sweep: 'Decode common encodings before prompts are screened.',
};

const MAX = 8;

/** @returns the most frequent first */
export function recommend(
  succeeded: readonly { readonly category: GoalCategory; readonly attack: string }[],
): string[] {
  const counts = new Map<string, number>();
  for (const { category, attack } of succeeded)
    for (const text of [BY_CATEGORY[category], BY_ATTACK[attack]])
      if (text !== undefined) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MAX)
    .map(([text]) => text);
}
