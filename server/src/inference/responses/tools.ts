/** The tools of a Responses request as functions of a chat completion request. */
import { z } from 'zod';
import type { Issue } from '../../platform/errors.ts';
import { invalidValues, toIssues } from '../read-as.ts';
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

/** Functions that belong together. Their calls name the namespace beside the function. */
const namespaceTool = z.looseObject({
  name: z.string().min(1),
  tools: z.array(z.looseObject({ type: z.string(), name: z.string().min(1) })),
});

export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** The function of a namespace, as chat completions can name it. */
export const toFlatName = ({ namespace, name }: NamespacedName) => `${namespace}__${name}`;

export interface OfferedTools {
  /** For the chat completion request: `tools`, `tool_choice` and `parallel_tool_calls`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Names of the tools that take free text. */
  readonly custom: ReadonlySet<string>;
  /** Functions of namespaces, by the names under which the model knows them. */
  readonly namespaced: ReadonlyMap<string, NamespacedName>;
}

interface ChatTool {
  readonly type: 'function';
  readonly function: { readonly name: string; readonly [field: string]: unknown };
}

/** @throws {ApiError} `validation_error` that names each tool that cannot be offered */
export function toChatTools(body: ResponseRequest): OfferedTools {
  const issues: Issue[] = [];
  const custom = new Set<string>();
  const namespaced = new Map<string, NamespacedName>();
  const given = (body.tools ?? []).flatMap((tool, index) =>
    openNamespace(tool, ['body', 'tools', index], namespaced),
  );
  const tools = given.flatMap(({ tool, loc }): ChatTool[] => {
    const schema = tool.type === 'function' ? functionTool : tool.type === 'custom' ? customTool : undefined;
    if (!schema) {
      issues.push({ loc, msg: notOffered(tool.type), type: 'unsupported_tool' });
      return [];
    }
    const read = schema.safeParse(tool, { reportInput: true });
    if (!read.success) {
      issues.push(...toIssues(loc, read.error));
      return [];
    }
    if (tool.type === 'function') return [toFunction(read.data)];
    custom.add(read.data.name);
    return [toTextFunction(read.data)];
  });
  const choice = readChoice(body.tool_choice, tools, issues);
  if (issues.length > 0) throw invalidValues(issues);
  if (choice.tools.length === 0) return { fields: {}, custom, namespaced };
  const parallel = body.parallel_tool_calls ?? undefined;
  return {
    fields: {
      tools: choice.tools,
      ...(choice.mode !== undefined && { tool_choice: choice.mode }),
      ...(parallel !== undefined && { parallel_tool_calls: parallel }),
    },
    custom,
    namespaced,
  };
}

interface PlacedTool {
  readonly tool: NonNullable<ResponseRequest['tools']>[number];
  readonly loc: readonly (string | number)[];
}

/** @param namespaced takes the functions of a namespace */
function openNamespace(
  tool: PlacedTool['tool'],
  loc: PlacedTool['loc'],
  namespaced: Map<string, NamespacedName>,
): PlacedTool[] {
  const read = tool.type === 'namespace' ? namespaceTool.safeParse(tool).data : undefined;
  if (!read) return [{ tool, loc }];
  return read.tools.map((inner, index) => {
    const place = { namespace: read.name, name: inner.name };
    namespaced.set(toFlatName(place), place);
    return { tool: { ...inner, name: toFlatName(place) }, loc: [...loc, 'tools', index] };
  });
}

const notOffered = (type: string | undefined) =>
  `The tool "${String(type)}" cannot be offered: it runs on OpenAI's servers, or is not known here. Leave it out, or offer a tool of type "function" or "custom" that your program runs.`;

function toFunction({ name, description, parameters, strict }: z.output<typeof functionTool>): ChatTool {
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

/** Chat completions of most providers know functions only, so free text becomes the one parameter of a function. */
function toTextFunction({ name, description, format }: z.output<typeof customTool>): ChatTool {
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
  /** Tools that the model may call. */
  readonly tools: readonly ChatTool[];
}

const namedChoice = z.looseObject({ type: z.enum(['function', 'custom']), name: z.string() });
const allowedChoice = z.looseObject({
  type: z.literal('allowed_tools'),
  mode: z.enum(['auto', 'required']),
  tools: z.array(z.looseObject({ name: z.string().optional() })),
});

function readChoice(
  choice: ResponseRequest['tool_choice'],
  tools: readonly ChatTool[],
  issues: Issue[],
): Choice {
  if (choice === null || choice === undefined) return { mode: undefined, tools };
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { mode: choice, tools };
  const allowed = allowedChoice.safeParse(choice);
  if (allowed.success) {
    const names = new Set(allowed.data.tools.map(({ name }) => name));
    return { mode: allowed.data.mode, tools: tools.filter((tool) => names.has(tool.function.name)) };
  }
  const named = namedChoice.safeParse(choice);
  if (named.success) return { mode: { type: 'function', function: { name: named.data.name } }, tools };
  const said = typeof choice === 'string' ? choice : choice.type;
  const msg = `The choice "${String(said)}" cannot be made here. Use "auto", "none", "required", allowed_tools, or the name of a function or custom tool.`;
  issues.push({ loc: ['body', 'tool_choice'], msg, type: 'unsupported_tool' });
  return { mode: undefined, tools };
}
