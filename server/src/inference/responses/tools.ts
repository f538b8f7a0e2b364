/** Converts the tools of a Responses request to functions of a chat completion request. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Issue, invalidValues } from '../../platform/errors.ts';
import { toIssues } from '../read-as.ts';
import type { ResponseRequest } from './schema.ts';

const functionTool = z.looseObject({
  name: z.string().min(1),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
});

const customTool = z.looseObject({
  name: z.string().min(1),
  description: z.string().nullish(),
  format: z
    .looseObject({ type: z.string(), syntax: z.string().optional(), definition: z.string().optional() })
    .nullish(),
});

const namespaceTool = z.looseObject({
  name: z.string().min(1),
  tools: z.array(z.looseObject({ type: z.string().optional() })),
});

/** Name of a tool at the client. */
export interface ToolName {
  readonly name: string;
  readonly namespace?: string;
  /** True for a tool that takes free text. */
  readonly isCustom: boolean;
}

export interface OfferedTools {
  /** Fields of the chat completion request: `tools`, `tool_choice` and `parallel_tool_calls`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Tools by the names sent to the model. */
  readonly names: ReadonlyMap<string, ToolName>;
}

interface ChatTool {
  readonly type: 'function';
  readonly function: { readonly name: string; readonly [field: string]: unknown };
}

/** @throws {ApiError} `validation_error` that names each tool that cannot be passed on */
export function toChatTools(body: ResponseRequest): OfferedTools {
  const reader = new ToolReader();
  for (const [index, tool] of (body.tools ?? []).entries()) reader.add(tool, ['body', 'tools', index]);
  const { names, issues } = reader;
  const choice = readChoice(body.tool_choice, reader, issues);
  if (issues.length > 0) throw invalidValues(issues);
  if (choice.tools.length === 0) return { fields: {}, names };
  const parallel = body.parallel_tool_calls ?? undefined;
  return {
    fields: {
      tools: choice.tools,
      ...(choice.mode !== undefined && { tool_choice: choice.mode }),
      ...(parallel !== undefined && { parallel_tool_calls: parallel }),
    },
    names,
  };
}

type Loc = readonly (string | number)[];

class ToolReader {
  readonly tools: ChatTool[] = [];
  readonly names = new Map<string, ToolName>();
  readonly issues: Issue[] = [];

  add(tool: { readonly type?: string | undefined }, loc: Loc, namespace?: string): void {
    if (tool.type === 'function') {
      const read = this.#read(functionTool, tool, loc);
      if (read) this.#offer(read.name, namespace, false, (name) => toFunction(name, read));
    } else if (tool.type === 'custom') {
      const read = this.#read(customTool, tool, loc);
      if (read) this.#offer(read.name, namespace, true, (name) => toTextFunction(name, read));
    } else if (tool.type === 'namespace' && namespace === undefined) {
      const read = this.#read(namespaceTool, tool, loc);
      for (const [index, inner] of (read?.tools ?? []).entries())
        this.add(inner, [...loc, 'tools', index], read?.name);
    } else this.issues.push({ loc, msg: notOffered(tool.type), type: 'unsupported_tool' });
  }

  #offer(
    name: string,
    namespace: string | undefined,
    isCustom: boolean,
    make: (name: string) => ChatTool,
  ): void {
    const chatName = toChatName(name, namespace);
    this.names.set(chatName, { name, isCustom, ...(namespace !== undefined && { namespace }) });
    this.tools.push(make(chatName));
  }

  #read<Schema extends z.ZodType>(schema: Schema, tool: unknown, loc: Loc): z.output<Schema> | undefined {
    const read = schema.safeParse(tool, { reportInput: true });
    if (read.success) return read.data;
    this.issues.push(...toIssues(loc, read.error));
    return undefined;
  }
}

/** Maximum length of names that providers accept. */
const MAX_NAME = 64;

/** Prefixes the function name with the namespace, since chat completions have no namespaces. */
export function toChatName(name: string, namespace: string | null | undefined): string {
  if (namespace === undefined || namespace === null) return name;
  const whole = `${namespace}__${name}`;
  if (whole.length <= MAX_NAME) return whole;
  const digest = createHash('sha256').update(whole).digest('hex').slice(0, 8);
  return `${whole.slice(0, MAX_NAME - digest.length - 1)}_${digest}`;
}

const notOffered = (type: string | undefined) =>
  `The tool "${String(type)}" cannot be offered: it runs on OpenAI's servers, or is not known here. Leave it out, or offer a tool of type "function" or "custom" that your program runs.`;

function toFunction(
  name: string,
  { description, parameters, strict }: z.output<typeof functionTool>,
): ChatTool {
  return {
    type: 'function',
    function: {
      name,
      ...(description && { description }),
      parameters: parameters ?? { type: 'object', properties: {} },
      ...(typeof strict === 'boolean' && { strict }),
    },
  };
}

/** Most providers support only functions in chat completions, so free text becomes the single parameter of a function. */
function toTextFunction(name: string, { description, format }: z.output<typeof customTool>): ChatTool {
  const grammar =
    format?.type === 'grammar' && format.definition
      ? `The input must match this ${format.syntax ?? ''} grammar:\n${format.definition}`
      : '';
  const input = { type: 'string', description: 'The whole input of the tool, as free text' };
  return {
    type: 'function',
    function: {
      name,
      description: [description, grammar].filter(Boolean).join('\n\n'),
      parameters: { type: 'object', properties: { input }, required: ['input'], additionalProperties: false },
    },
  };
}

interface Choice {
  readonly mode: unknown;
  /** Tools available to the model. */
  readonly tools: readonly ChatTool[];
}

const namedTool = z.looseObject({ name: z.string(), namespace: z.string().nullish() });
const namedChoice = namedTool.extend({ type: z.enum(['function', 'custom']) });
const allowedChoice = z.looseObject({
  type: z.literal('allowed_tools'),
  mode: z.enum(['auto', 'required']),
  tools: z.array(namedTool),
});

function readChoice(choice: ResponseRequest['tool_choice'], { tools }: ToolReader, issues: Issue[]): Choice {
  if (choice === null || choice === undefined) return { mode: undefined, tools };
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { mode: choice, tools };
  const allowed = allowedChoice.safeParse(choice);
  if (allowed.success) {
    const names = new Set(allowed.data.tools.map(({ name, namespace }) => toChatName(name, namespace)));
    return { mode: allowed.data.mode, tools: tools.filter((tool) => names.has(tool.function.name)) };
  }
  const named = namedChoice.safeParse(choice);
  if (named.success) {
    const name = toChatName(named.data.name, named.data.namespace);
    return { mode: { type: 'function', function: { name } }, tools };
  }
  const type = typeof choice === 'string' ? choice : choice.type;
  const msg = `The choice "${String(type)}" cannot be made here. Use "auto", "none", "required", allowed_tools, or the name of a function or custom tool.`;
  issues.push({ loc: ['body', 'tool_choice'], msg, type: 'unsupported_tool' });
  return { mode: undefined, tools };
}
