/** Finds the texts of a capability that can be optimized, and writes new ones into its files. */
import { setField } from '../manifest-yaml.ts';
import { type CapabilityFile, findFrontmatter, parseAgentFile } from './capability-prompt.ts';

export const COMPONENT_KINDS = [
  'instructions',
  'agent_prompt',
  'capability_prompt',
  'skill_descriptions',
  'skill_bodies',
] as const;

export type ComponentKind = (typeof COMPONENT_KINDS)[number];

/** The files of a capability that hold such texts. */
export interface CapabilityTexts {
  /** Agent files by the name of the agent. */
  readonly agents: ReadonlyMap<string, CapabilityFile>;
  readonly skills: readonly CapabilityFile[];
  readonly prompt?: CapabilityFile | undefined;
}

interface Component {
  readonly kind: ComponentKind;
  readonly file: CapabilityFile;
  readonly text: string;
}

/**
 * Returns the components of a capability by name: a kind, or `<kind>/<skill>` if there are several skills. `instructions` and
 * `agent_prompt` are the same text, the prompt of the agent: the first is its name for `capability_agent`, the second for `capability_env`.
 * @param agent the name of the agent; an agent that the capability does not have has no text of its own
 */
export function findComponents(
  { agents, skills, prompt }: CapabilityTexts,
  agent: string,
): ReadonlyMap<string, Component> {
  const found = new Map<string, Component>();
  const own = agents.get(agent);
  if (own)
    for (const kind of ['instructions', 'agent_prompt'] as const)
      found.set(kind, { kind, file: own, text: parseAgentFile(own.text).prompt });
  if (prompt)
    found.set('capability_prompt', { kind: 'capability_prompt', file: prompt, text: prompt.text.trim() });
  const nameOf = (kind: ComponentKind, { path }: CapabilityFile) =>
    skills.length === 1 ? kind : `${kind}/${path.split('/').at(-2)}`;
  for (const file of skills) {
    const { description, prompt: body } = parseAgentFile(file.text);
    if (description !== undefined)
      found.set(nameOf('skill_descriptions', file), { kind: 'skill_descriptions', file, text: description });
    found.set(nameOf('skill_bodies', file), { kind: 'skill_bodies', file, text: body });
  }
  return found;
}

/** @returns the files that change when components get these texts, each with all its changes */
export function replaceComponents(
  texts: CapabilityTexts,
  agent: string,
  candidate: Readonly<Record<string, string>>,
): CapabilityFile[] {
  const components = findComponents(texts, agent);
  const changed = new Map<string, string>();
  for (const [name, text] of Object.entries(candidate)) {
    const component = components.get(name);
    if (!component) throw new Error(`The capability has no component "${name}".`);
    if (text === component.text) continue;
    const { path } = component.file;
    changed.set(path, replaceText(component.kind, changed.get(path) ?? component.file.text, text));
  }
  return [...changed].map(([path, text]) => ({ path, text }));
}

function replaceText(kind: ComponentKind, file: string, text: string): string {
  const { whole, frontmatter } = findFrontmatter(file);
  if (kind === 'capability_prompt') return `${text.trim()}\n`;
  if (kind !== 'skill_descriptions') {
    // A text that begins like frontmatter must not become the frontmatter of a file that has none.
    const head = whole === '' && text.trim().startsWith('---') ? '\n' : whole;
    return `${head}${text.trim()}\n`;
  }
  return `---\n${setField(frontmatter, 'description', text)}---\n${file.slice(whole.length)}`;
}

/** @returns the texts with these files instead of those with the same paths */
export function withFiles(texts: CapabilityTexts, files: readonly CapabilityFile[]): CapabilityTexts {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const replace = (file: CapabilityFile) => byPath.get(file.path) ?? file;
  return {
    agents: new Map([...texts.agents].map(([name, file]) => [name, replace(file)])),
    skills: texts.skills.map(replace),
    prompt: texts.prompt && replace(texts.prompt),
  };
}
