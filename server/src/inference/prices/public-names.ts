/** Shortens the model names that spans report to candidates for a price list. */

/** Providers that run models on the user's own machines: public prices do not apply to them. */
const OWN_MACHINES = new Set([
  'ollama',
  'vllm',
  'llama.cpp',
  'llamacpp',
  'llama_cpp',
  'lmstudio',
  'lm_studio',
  'local',
]);

export const isOnOwnMachines = (provider: string | null, model: string) =>
  OWN_MACHINES.has(provider?.toLowerCase() ?? '') ||
  OWN_MACHINES.has(model.toLowerCase().split('/')[0] ?? '');

/** `us.anthropic.claude-3-5-sonnet-20241022-v2:0`: region, maker and revision of Amazon Bedrock. */
const BEDROCK = /^(?:[a-z]{2,6}\.)?(?:anthropic|amazon|cohere|mistral|deepseek|meta)\./;
const REVISION = /-v\d+(?::\d+)*$/;
/** `-2024-08-06`, `-20241022`, `@20241022`, `-0613`, `-2411`, `-05-06`, `-001`. */
const DATE = /[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|\d{2}-\d{2,4}|\d{3})$/;
const CHANNEL = /-(?:latest|preview|exp|experimental)$/;

/**
 * Lists the names that a price list may have for a model, the most specific first: as given, after the last slash (`openai/gpt-4o`,
 * `publishers/google/models/gemini-2.5-pro`), and then step by step without maker, revision, date and channel.
 */
export function publicNamesOf(model: string): string[] {
  const given = model.trim().toLowerCase();
  const names = new Set([given, given.slice(given.lastIndexOf('/') + 1)]);
  for (const name of names) {
    for (const part of [BEDROCK, REVISION, DATE, CHANNEL]) {
      const shorter = name.replace(part, '');
      if (shorter !== name && shorter !== '') names.add(shorter);
    }
  }
  return [...names];
}
