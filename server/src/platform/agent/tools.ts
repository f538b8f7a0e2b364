/** The built-in tools of an agent: a shell and files of its sandbox. */
import { z } from 'zod';
import type { AgentTool } from './ports.ts';
import {
  type ExecResult,
  execInSandbox,
  readLines,
  readStart,
  ToolMistake,
  type ToolSandbox,
  toAbsolutePath,
  writeWhole,
} from './sandbox-files.ts';

const BASH_TIMEOUT_SECONDS = 120;
const MAX_BASH_TIMEOUT_SECONDS = 3_600;
/** Smaller than the limit for the result of a tool, since exceeding that limit would cut out lines in the middle. */
const MAX_READ_BYTES = 30_000;
const MAX_LINES = 1_000_000_000;
const MAX_EDITED_BYTES = 4 * 1024 ** 2;

/** The kernel takes neither a path nor an argument with a NUL. */
const WithoutNul = z.string().regex(/^[^\0]+$/, 'must not be empty or hold a NUL character');
const Path = WithoutNul.describe('Absolute, or relative to /workspace');

export const createTools = (sandbox: ToolSandbox): AgentTool[] => [
  bash(sandbox),
  readFile(sandbox),
  writeFile(sandbox),
  editFile(sandbox),
];

const bash = (sandbox: ToolSandbox) =>
  defineTool(
    'bash',
    'Runs a command in a shell of its own in /workspace and returns when that shell exits. Returns what the command wrote to stdout, ' +
      'and its exit code and stderr when it failed or wrote to stderr.',
    z.object({
      command: WithoutNul,
      timeout_seconds: z
        .int()
        .min(1)
        .max(MAX_BASH_TIMEOUT_SECONDS)
        .nullish()
        .describe(`The command is killed then; ${BASH_TIMEOUT_SECONDS} unless given`),
    }),
    async ({ command, timeout_seconds }, signal) => {
      const timeoutSeconds = timeout_seconds ?? BASH_TIMEOUT_SECONDS;
      const result = await execInSandbox(sandbox, command, { timeoutSeconds, signal });
      return toReport(result, timeoutSeconds);
    },
  );

/** stdout comes last: its end matters most to the reader, and it survives when a long text is cut in the middle. */
function toReport({ exitCode, stdout, stderr, truncated, timedOut }: ExecResult, timeoutSeconds: number) {
  if (exitCode === 0 && stderr === '' && !truncated && !timedOut) return stdout;
  const outcome = timedOut
    ? `The command was killed after ${timeoutSeconds} s; a longer timeout_seconds may help.`
    : `exit code: ${exitCode}`;
  return [
    outcome,
    ...(truncated ? ['The command wrote more than is shown here.'] : []),
    ...(stderr === '' ? [] : [`stderr:\n${stderr}`]),
    ...(stdout === '' ? [] : [`stdout:\n${stdout}`]),
  ].join('\n');
}

const readFile = (sandbox: ToolSandbox) =>
  defineTool(
    'read_file',
    `Reads a text file, at most ${MAX_READ_BYTES} bytes at once. A note at the end says where to read on when there is more.`,
    z.object({
      path: Path,
      offset: z.int().min(1).max(MAX_LINES).nullish().describe('The first line to read; 1 unless given'),
      limit: z.int().min(1).max(MAX_LINES).nullish().describe('How many lines to read'),
    }),
    async ({ path: given, offset, limit }, signal) => {
      const path = toAbsolutePath(given);
      const firstLine = offset ?? 1;
      const lines = limit ?? MAX_LINES;
      // Reads one line and one byte more than it returns, to find out whether there is more.
      const range = { firstLine, lines: lines + 1, maxBytes: MAX_READ_BYTES + 1 };
      const bytes = await readLines(sandbox, path, range, signal);
      const { text, lineCount, isWholeLine } = takeLines(path, bytes, lines);
      if (text === '' && firstLine > 1) return `[${path} has fewer than ${firstLine} lines]`;
      if (Buffer.byteLength(text) === bytes.length) return text;
      const next = firstLine + lineCount;
      return isWholeLine
        ? `${text}[more lines follow: read on with offset ${next}]`
        : `${text}\n[line ${firstLine} is longer than ${MAX_READ_BYTES} bytes: use bash to read the rest of it; the next line is ${next}]`;
    },
  );

/** Takes as many whole lines as are requested and fit. A first line that does not fit is cut. */
function takeLines(path: string, bytes: Buffer, lines: number) {
  let end = 0;
  let lineCount = 0;
  for (; lineCount < lines && end < bytes.length; lineCount++) {
    const newline = bytes.indexOf('\n', end);
    const next = newline === -1 ? bytes.length : newline + 1;
    if (next > MAX_READ_BYTES) break;
    end = next;
  }
  const isWholeLine = end > 0 || bytes.length === 0;
  const text = decode(
    path,
    isWholeLine ? bytes.subarray(0, end) : bytes.subarray(0, MAX_READ_BYTES),
    isWholeLine,
  );
  return { text, lineCount: isWholeLine ? lineCount : 1, isWholeLine };
}

/** @param isWhole whether the bytes end with a complete character; otherwise an incomplete last character is left out */
function decode(path: string, bytes: Uint8Array, isWhole: boolean): string {
  const refusal = new ToolMistake(`${path} is not a UTF-8 text file. Use bash to inspect it.`);
  if (bytes.includes(0)) throw refusal;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: !isWhole });
  } catch {
    throw refusal;
  }
}

const writeFile = (sandbox: ToolSandbox) =>
  defineTool(
    'write_file',
    'Writes a text file, and the folders on the way to it. Replaces the file if it exists.',
    z.object({ path: Path, content: z.string() }),
    async ({ path: given, content }, signal) => {
      const path = toAbsolutePath(given);
      const bytes = Buffer.from(content);
      await writeWhole(sandbox, path, bytes, signal);
      return `Wrote ${bytes.length} bytes to ${path}.`;
    },
  );

const editFile = (sandbox: ToolSandbox) =>
  defineTool(
    'edit_file',
    'Replaces text in a text file. old_text has to occur exactly once, unless replace_all is true.',
    z.object({
      path: Path,
      old_text: z.string().min(1).describe('As it is in the file, with its spaces and line breaks'),
      new_text: z.string(),
      replace_all: z.boolean().nullish().describe('Replace every occurrence'),
    }),
    async ({ path: given, old_text, new_text, replace_all }, signal) => {
      const path = toAbsolutePath(given);
      const bytes = await readStart(sandbox, path, MAX_EDITED_BYTES + 1, signal);
      if (bytes.length > MAX_EDITED_BYTES)
        throw new ToolMistake(`${path} is larger than ${MAX_EDITED_BYTES} bytes. Use bash to edit it.`);
      const pieces = decode(path, bytes, true).split(old_text);
      const count = pieces.length - 1;
      if (count === 0)
        throw new ToolMistake(`old_text does not occur in ${path}. Read the file and copy the text exactly.`);
      if (count > 1 && replace_all !== true)
        throw new ToolMistake(
          `old_text occurs ${count} times in ${path}. Give more of the text around it, or set replace_all.`,
        );
      if (bytes.length + count * new_text.length > MAX_EDITED_BYTES * 2)
        throw new ToolMistake(
          `${path} would become larger than ${MAX_EDITED_BYTES * 2} bytes. Use bash to edit it.`,
        );
      await writeWhole(sandbox, path, Buffer.from(pieces.join(new_text)), signal);
      return `Replaced ${count} ${count === 1 ? 'occurrence' : 'occurrences'} in ${path}.`;
    },
  );

/** A tool whose schema describes its parameters to the model and checks them. Mistakes are returned as text. */
function defineTool<Shape extends z.ZodObject>(
  name: string,
  description: string,
  schema: Shape,
  run: (args: z.output<Shape>, signal: AbortSignal) => Promise<string>,
): AgentTool {
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: 'input' });
  return {
    name,
    description,
    parameters,
    run: async (args, signal) => {
      const parsed = schema.safeParse(args);
      if (!parsed.success) return toSentence(name, parsed.error);
      try {
        return await run(parsed.data, signal);
      } catch (error) {
        if (error instanceof ToolMistake) return error.message;
        throw error;
      }
    },
  };
}

const toSentence = (name: string, { issues }: z.ZodError) =>
  `The arguments of ${name} are wrong: ${issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')}.`;
