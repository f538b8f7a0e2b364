import { z } from 'zod';
import { countedFirst } from '../../platform/http/requests/lists.ts';
import { Environment } from '../config-schema.ts';

/** Linux limits the length of an argument, including its NUL. */
const MAX_ARGUMENT_BYTES = 131_071;
const MAX_ARGUMENTS = 10_000;
const MAX_PATH_BYTES = 4_096;
const MAX_TIMEOUT_SECONDS = 86_400;

export const DEFAULT_TIMEOUT_SECONDS = 600;

const isWithin = (max: number) => (text: string) => Buffer.byteLength(text) <= max;

const Argument = z
  .string()
  .refine(isWithin(MAX_ARGUMENT_BYTES), 'must have at most 131071 bytes; send more as stdin');

const Arguments = z
  .array(Argument)
  .min(1)
  .max(MAX_ARGUMENTS)
  .refine(([program]) => program !== '', 'must begin with a program');

const CommandLine = countedFirst(
  z.union([Argument.min(1), Arguments], 'must be a line for the shell, or a program and its arguments'),
  MAX_ARGUMENTS,
  (given) => (Array.isArray(given) ? given.length : 0),
);

/** Uses no groups, because a repeated group over megabytes overflows the stack. */
const isBase64 = (text: string) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);

const Stdin = z.string().refine(isBase64, 'must be base64, with its padding');

export const ExecRequest = z
  .object({
    command: CommandLine.describe(
      'A string runs in `bash -c`, or in `sh -c` where there is no bash; an array is a program and its arguments',
    ),
    cwd: z
      .string()
      .regex(/^\//, 'must be an absolute path')
      .refine(isWithin(MAX_PATH_BYTES), 'must have at most 4096 bytes')
      .nullish()
      .describe('Absolute path; /workspace by default, or / where that is not mounted'),
    env: Environment.nullish().describe('Added to the environment of the sandbox; overrides it'),
    stdin: z.string().nullish().describe('What the command reads; without it, nothing'),
    stdin_base64: Stdin.nullish().describe('The same as bytes; not beside stdin'),
    timeout_seconds: z
      .int()
      .min(1)
      .max(MAX_TIMEOUT_SECONDS)
      .nullish()
      .describe(
        'The command is killed after this time. 600 by default, and limited by the remaining time of the sandbox',
      ),
    stream: z
      .boolean()
      .nullish()
      .describe('Respond with server-sent events, as with `Accept: text/event-stream`'),
  })
  .refine(({ stdin, stdin_base64 }) => typeof stdin !== 'string' || typeof stdin_base64 !== 'string', {
    path: ['stdin_base64'],
    message: 'cannot be given beside stdin',
  })
  .meta({ id: 'RuntimeExecRequest' });

export type ExecRequestOf = z.output<typeof ExecRequest>;

const OUTCOME = {
  exit_code: z.int().describe('127: no such program; 128 + n: ended by signal n'),
  truncated: z.boolean().describe('More was written than is here'),
  duration_ms: z.int(),
  timed_out: z.boolean(),
};

/** The last event of an output stream. */
export const ExecExit = z.object(OUTCOME).meta({ id: 'RuntimeExecExit' });

const Text = z.string().describe('Invalid UTF-8 is replaced by U+FFFD');

export const ExecResponse = z
  .object({
    ...OUTCOME,
    stdout: Text.describe('At most 1 MiB; invalid UTF-8 is replaced by U+FFFD'),
    stderr: Text.describe('At most 1 MiB; invalid UTF-8 is replaced by U+FFFD'),
  })
  .meta({ id: 'RuntimeExecResponse' });

export type ExecResponseOf = z.output<typeof ExecResponse>;

export const ExecOutput = z.object({ data: Text }).meta({ id: 'RuntimeExecOutput' });
