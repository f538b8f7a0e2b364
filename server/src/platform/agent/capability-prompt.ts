/** The system prompt of an agent: its own text, and an index of the skills that it can read in its sandbox. */
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

export interface CapabilityParts {
  /** Text of `agents/<name>.md`; without it the agent is the built-in `basic`. */
  readonly agent?: string;
  readonly skills: readonly {
    /** Path of its SKILL.md in the capability. */
    readonly path: string;
    readonly text: string;
  }[];
  /** The folder of the capability in the sandbox. */
  readonly capabilityFolder: string;
}

export function toSystemPrompt({ agent, skills, capabilityFolder }: CapabilityParts): string {
  const prompt = agent === undefined ? BASIC_PROMPT : parseAgentFile(agent).prompt;
  if (skills.length === 0) return prompt;
  const index = skills.map(({ path, text }) => {
    const { name, description } = parseAgentFile(text);
    const folder = path.split('/').at(-2) ?? path;
    return `- ${name ?? folder}${description === undefined ? '' : `: ${description}`} (${capabilityFolder}/${path})`;
  });
  return `${prompt}\n\n# Skills\n\nEach skill is a file of instructions. When a skill applies to your task, read its file before you go on.\n\n${index.join('\n')}`;
}

/** Markdown with YAML frontmatter, of an agent or of a skill. Frontmatter that is not valid YAML is left out of the prompt as well. */
export function parseAgentFile(text: string): AgentFile {
  const [whole = '', frontmatter = ''] =
    /^\uFEFF?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|$)/ms.exec(text) ?? [];
  const prompt = text.slice(whole.length).trim();
  const fields = readFields(frontmatter);
  const name = toLine(fields['name']);
  const description = toLine(fields['description']);
  return { prompt, ...(name && { name }), ...(description && { description }) };
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
