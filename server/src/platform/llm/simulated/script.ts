/** The script that `sim/scripted` follows: a fenced `sim` block of JSON in the conversation. See docs/reference/simulated-models.md. */
import { z } from 'zod';
import { ERROR_STATUSES, type ErrorType, STATUS_BY_TYPE } from '../../errors.ts';
import type { ChatMessage } from '../chat-model.ts';
import { textOf } from './conversation.ts';
import { FINISH_REASONS, refuse } from './plan.ts';

const MAX_SCRIPT_CHARACTERS = 65_536;
const MAX_STEPS = 1_000;
const MAX_DEPTH = 64;
const DOCUMENT = 'docs/reference/simulated-models.md has the format and examples.';

const delay = z.int().min(0).max(60_000);
const times = z.int().min(1).max(1_000).optional();
const ERROR_TYPES = Object.keys(STATUS_BY_TYPE) as [ErrorType, ...ErrorType[]];

const scriptedError = z
  .strictObject({
    status: z.literal(ERROR_STATUSES),
    type: z.enum(ERROR_TYPES).optional(),
    message: z.string().optional(),
    retry_after: z.int().min(0).max(3_600).optional(),
    times,
  })
  .refine(({ status, type }) => type === undefined || STATUS_BY_TYPE[type] === status, {
    path: ['type'],
    error: 'is the type of another status',
  });

const scriptedCall = z.strictObject({
  name: z.string().min(1),
  arguments: z.union([z.record(z.string(), z.unknown()), z.string()]).default({}),
  id: z.string().min(1).optional(),
  is_unoffered: z.boolean().default(false),
});

const answer = z.strictObject({
  say: z.string().optional(),
  reasoning: z.string().optional(),
  call: z.array(scriptedCall).min(1).max(128).optional(),
  finish_reason: z.enum(FINISH_REASONS).optional(),
  error: scriptedError.optional(),
  delay_ms: delay.default(0),
  chunk_size: z.int().min(1).optional(),
  chunk_delay_ms: delay.default(0),
  break_off: z.strictObject({ after: z.int().min(0), times }).optional(),
  usage: z.unknown().optional(),
  goto: z.string().optional(),
});

const hasContent = ({ say, reasoning, call, error }: Partial<z.infer<typeof answer>>) =>
  [say, reasoning, call, error].some((part) => part !== undefined);
const EMPTY = 'needs at least one of "say", "reasoning", "call" and "error"';

const scriptedCase = answer
  .extend({ contains: z.string().optional(), role: z.enum(['user', 'tool']).optional() })
  .refine(hasContent, { error: EMPTY })
  .refine(({ contains, role }) => contains !== undefined || role !== undefined, {
    error: 'needs "contains", "role" or both',
  });

const step = answer
  .extend({
    when: z.array(scriptedCase).min(1).max(16).optional(),
    label: z.string().min(1).optional(),
    repeat: z.int().min(1).max(MAX_STEPS).default(1),
  })
  .refine((value) => value.when !== undefined || hasContent(value), { error: `${EMPTY}, or "when"` });

const script = z.strictObject({
  steps: z.array(step).min(1).max(MAX_STEPS),
  after: z.enum(['end', 'repeat', 'restart', 'error']).default('end'),
});

export type ScriptedAnswer = z.infer<typeof answer>;
export type ScriptedStep = z.infer<typeof step>;
export type ScriptedCall = z.infer<typeof scriptedCall>;

export interface Script {
  /** Steps, repeated as often as specified. */
  readonly steps: readonly ScriptedStep[];
  /** Index of each label in the steps. */
  readonly labels: ReadonlyMap<string, number>;
  readonly after: z.infer<typeof script>['after'];
  /** The conversation from the message with the script, without the script itself. */
  readonly conversation: readonly ChatMessage[];
}

/** Finds the first script in a system message, or in a user message before the first response: agents send their own messages first. */
export function getScript(messages: readonly ChatMessage[]): Script {
  const answered = messages.findIndex(({ role }) => role === 'assistant');
  for (const [index, message] of messages.entries()) {
    const isFirst = message.role === 'user' && (answered === -1 || index < answered);
    if (!isFirst && message.role !== 'system' && message.role !== 'developer') continue;
    const found = findBlock(textOf(message));
    if (!found) continue;
    const holder = { role: message.role, content: found.rest };
    return { ...parseScript(found.block), conversation: [holder, ...messages.slice(index + 1)] };
  }
  throw refuse(
    'sim/scripted follows a script, a fenced block ```sim in a system message or in a message of the user before the first response, ' +
      `and there is none. ${DOCUMENT} sim/echo needs no script.`,
  );
}

const OPENING = /^[ \t]*(`{3,}|~{3,})[ \t]*sim[ \t]*\r?\n/m;

function findBlock(text: string): { block: string; rest: string } | undefined {
  const opening = OPENING.exec(text);
  if (!opening) return undefined;
  const start = opening.index + opening[0].length;
  const lines = text.slice(start, start + MAX_SCRIPT_CHARACTERS).split('\n');
  const count = lines.findIndex((line) => line.trim() === opening[1]);
  if (count >= 0) {
    const block = lines.slice(0, count).join('\n');
    const end = start + lines.slice(0, count + 1).join('\n').length;
    return { block, rest: (text.slice(0, opening.index) + text.slice(end)).trim() };
  }
  throw mistake(
    text.length - start > MAX_SCRIPT_CHARACTERS
      ? `it is longer than ${MAX_SCRIPT_CHARACTERS} characters`
      : `the block is not closed by a line ${opening[1]}`,
  );
}

function parseScript(text: string): Omit<Script, 'conversation'> {
  const value = parseJson(text);
  if (isDeeperThan(value, MAX_DEPTH)) throw mistake(`it is nested deeper than ${MAX_DEPTH} levels`);
  const read = script.safeParse(Array.isArray(value) ? { steps: value } : value);
  if (!read.success) throw mistake(describe(read.error));
  const { steps, after } = read.data;
  const labels = new Map<string, number>();
  const repeated: ScriptedStep[] = [];
  for (const [index, step] of steps.entries()) {
    if (step.label !== undefined && labels.has(step.label))
      throw mistake(`steps[${index}].label: another step has it too`);
    if (step.label !== undefined) labels.set(step.label, repeated.length);
    for (let count = 0; count < step.repeat; count++) repeated.push(step);
    if (repeated.length > MAX_STEPS) throw mistake(`it has more than ${MAX_STEPS} steps`);
  }
  checkTargets(steps, labels);
  return { steps: repeated, labels, after };
}

function checkTargets(steps: readonly ScriptedStep[], labels: ReadonlyMap<string, number>): void {
  for (const [index, step] of steps.entries())
    for (const [place, target] of [
      ['', step.goto],
      ...(step.when ?? []).map((each, at) => [`.when[${at}]`, each.goto]),
    ])
      if (target !== undefined && !labels.has(target))
        throw mistake(`steps[${index}]${place}.goto: no step has the label "${target}"`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    const position = /at position (\d+)/.exec(reason)?.[1];
    const line = position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length;
    throw mistake(`${line === undefined ? '' : `line ${line} of the block: `}it is not JSON: ${reason}`);
  }
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeperThan(item, levels - 1));
}

function describe({ issues }: z.ZodError): string {
  const [issue] = issues;
  const path = (issue?.path ?? []).map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  const place = path.join('').replace(/^\./, '');
  return `${place === '' ? '' : `${place}: `}${issue?.message ?? 'it is no script'}`;
}

const mistake = (what: string) => refuse(`The script has a mistake: ${what}. ${DOCUMENT}`);
