/** The system prompt of an agent: its own text, that of its capability, and an index of the skills that it can read in its sandbox. */
import { parseManifest } from '../manifest-yaml.ts';

const MAX_DESCRIPTION_CHARACTERS = 1_024;

const BASIC_PROMPT = `You are an agent that solves a task in a Linux sandbox. You work in the folder /workspace.
Use the tools to look around, run commands and change files; do not ask questions, since nobody answers them.
Check your work before you finish. When the task is done, give your final answer without calling a tool: that ends the task.`;

export interface AgentFile {
  readonly name?: string;
  readonly description?: string;
  readonly prompt: string;
}

/** A text file of a capability. */
export interface CapabilityFile {
  readonly path: string;
  readonly text: string;
}

export interface CapabilityParts {
  /** Text of `agents/<name>.md`; when omitted, the agent is the built-in `basic`. */
  readonly agent?: string;
  /** Text of the file that `prompt` names in capability.yaml, or else of PROMPT.md. */
  readonly prompt?: string;
  /** Each skill's SKILL.md. */
  readonly skills: readonly CapabilityFile[];
  /** The folder of the capability in the sandbox. */
  readonly capabilityFolder: string;
}

export function toSystemPrompt({
  agent,
  prompt: shared = '',
  skills,
  capabilityFolder,
}: CapabilityParts): string {
  const own = agent === undefined ? BASIC_PROMPT : parseAgentFile(agent).prompt;
  const prompt = shared.trim() === '' ? own : `${own}\n\n${shared.trim()}`;
  if (skills.length === 0) return prompt;
  const index = skills.map(({ path, text }) => {
    const { name, description } = parseAgentFile(text);
    const folder = path.split('/').at(-2) ?? path;
    return `- ${name ?? folder}${description === undefined ? '' : `: ${description}`} (${capabilityFolder}/${path})`;
  });
  return `${prompt}\n\n# Skills\n\nEach skill is a file of instructions. When a skill applies to your task, read its file before you go on.\n\n${index.join('\n')}`;
}

/** Markdown with YAML frontmatter, of an agent or a skill. Frontmatter that is not valid YAML is left out of the prompt as well. */
export function parseAgentFile(text: string): AgentFile {
  const { whole, frontmatter } = findFrontmatter(text);
  const prompt = text.slice(whole.length).trim();
  const fields = readFields(frontmatter);
  const name = toLine(fields['name']);
  const description = toLine(fields['description']);
  return { prompt, ...(name && { name }), ...(description && { description }) };
}

/** @returns the YAML of a Markdown file's frontmatter, and the whole block with its delimiters; both are empty if there is none */
export function findFrontmatter(text: string): { readonly whole: string; readonly frontmatter: string } {
  const [whole = '', frontmatter = ''] =
    /^\uFEFF?---[ \t]*\r?\n((?:.*\r?\n)*?)---[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
  return { whole, frontmatter };
}

function readFields(yaml: string): Readonly<Record<string, unknown>> {
  try {
    return parseManifest('frontmatter', Buffer.from(yaml)).value;
  } catch {
    return {};
  }
}

const toLine = (value: unknown) =>
  typeof value === 'string'
    ? value.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_DESCRIPTION_CHARACTERS).toWellFormed()
    : undefined;
