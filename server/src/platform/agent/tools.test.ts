/** The built-in tools over commands on this machine, in a folder of their own. */
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { run } from '../../../test/agent-world.ts';
import { ask } from '../../../test/simulated-responses.ts';
import { ApiError, invalidValue } from '../errors.ts';
import { AgentAbort, type AgentModel } from './ports.ts';
import type { ExecOptions, ExecResult, ToolSandbox } from './sandbox-files.ts';
import { createTools } from './tools.ts';

const folder = mkdtempSync(join(tmpdir(), 'drydock-tools-'));
const at = (name: string) => join(folder, name);
const { signal } = new AbortController();

afterAll(() => rm(folder, { recursive: true }));

async function exec(command: string | readonly string[], { stdin }: ExecOptions = {}): Promise<ExecResult> {
  const [program = '', ...args] = typeof command === 'string' ? ['bash', '-c', command] : command;
  const child = spawn(program, args, { cwd: folder });
  child.stdin.on('error', () => undefined).end(stdin);
  const exited = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? 137)));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { exitCode: await exited, stdout, stderr, truncated: false, timedOut: false };
}

function toolOf(name: string, sandbox: ToolSandbox = { exec }) {
  const tool = createTools(sandbox).find((one) => one.name === name);
  if (!tool) throw new Error(`There is no ${name}.`);
  return (args: Record<string, unknown>) => tool.run(args, signal);
}

const answering = (result: Partial<ExecResult>): ToolSandbox => ({
  exec: async () => ({ exitCode: 0, stdout: '', stderr: '', truncated: false, timedOut: false, ...result }),
});
const failing = (error: Error): ToolSandbox => ({
  exec: async () => {
    throw error;
  },
});

test('tools describe their parameters', () => {
  const required = createTools({ exec }).map(({ name, parameters }) => [name, parameters['required']]);
  expect(Object.fromEntries(required)).toEqual({
    bash: ['command'],
    read_file: ['path'],
    write_file: ['path', 'content'],
    edit_file: ['path', 'old_text', 'new_text'],
  });
});

describe('bash', () => {
  test.each([
    ['echo one; echo two', 'one\ntwo\n'],
    ['true', ''],
    ['echo out; exit 3', 'exit code: 3\nstdout:\nout\n'],
    ['echo warning >&2; echo out', 'exit code: 0\nstderr:\nwarning\n\nstdout:\nout\n'],
    ['echo bad >&2; false', 'exit code: 1\nstderr:\nbad\n'],
  ])('%j returns what was written', async (command, report) => {
    expect(await toolOf('bash')({ command })).toBe(report);
  });

  test('reports that the command was killed or that its output was truncated', async () => {
    const result = { exitCode: 137, stdout: 'half', timedOut: true, truncated: true };
    const report = await toolOf('bash', answering(result))({ command: 'x', timeout_seconds: 5 });
    expect(report).toBe(
      'The command was killed after 5 s; a longer timeout_seconds may help.\nThe command wrote more than is shown here.\nstdout:\nhalf',
    );
  });

  test('passes the time limit on, 120 s by default', async () => {
    const limits: unknown[] = [];
    const sandbox: ToolSandbox = {
      exec: (command, options) => {
        limits.push([options?.timeoutSeconds, options?.signal === signal]);
        return exec(command);
      },
    };
    await toolOf('bash', sandbox)({ command: 'true' });
    await toolOf('bash', sandbox)({ command: 'true', timeout_seconds: 3_600 });
    expect(limits).toEqual([
      [120, true],
      [3_600, true],
    ]);
  });

  test.each([
    { command: 5 },
    { command: '' },
    { command: 'a\0b' },
    { command: 'true', timeout_seconds: 3_601 },
    { command: 'true', timeout_seconds: 'long' },
  ])('%j returns a sentence that explains the mistake', async (args) => {
    expect(await toolOf('bash')(args)).toMatch(
      /^The arguments of bash are wrong: (command|timeout_seconds): .+\.$/,
    );
  });

  test('turns a mistake that the sandbox finds into a sentence', async () => {
    const refusal = invalidValue(['body', 'command'], 'must have at most 131071 bytes');
    expect(await toolOf('bash', failing(refusal))({ command: 'x' })).toContain('command: must have at most');
  });

  test.each([
    new ApiError('sandbox_provider_error', 'Gone.'),
    new ApiError('server_error', 'Bug.'),
    new Error('Bug.'),
  ])('throws an AgentAbort with %s as its cause', async (error) => {
    for (const name of ['bash', 'read_file', 'write_file', 'edit_file']) {
      const args = { command: 'x', path: 'x', content: '', old_text: 'a', new_text: 'b' };
      await expect(toolOf(name, failing(error))(args)).rejects.toStrictEqual(new AgentAbort(error));
    }
  });
});

describe('read_file', () => {
  const read = (args: Record<string, unknown>) => toolOf('read_file')(args);

  test('returns the text as it is', async () => {
    const content = '\uFEFFGrüße 🌍\r\n\n$1 `x`\nno newline';
    await writeFile(at("odd 'name' $x"), content);
    expect(await read({ path: at("odd 'name' $x") })).toBe(content);
    await writeFile(at('empty'), '');
    expect(await read({ path: at('empty') })).toBe('');
  });

  test('returns lines and says where to continue reading', async () => {
    await writeFile(at('lines'), 'one\ntwo\nthree\nfour');
    const path = at('lines');
    expect(await read({ path, offset: 2, limit: 2 })).toBe(
      'two\nthree\n[more lines follow: read on with offset 4]',
    );
    expect(await read({ path, offset: 4 })).toBe('four');
    expect(await read({ path, limit: 4 })).toBe('one\ntwo\nthree\nfour');
    expect(await read({ path, offset: 5 })).toBe(`[${path} has fewer than 5 lines]`);
  });

  test('reads a long file in chunks of whole lines, which joined are the file', async () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index} ä\n`);
    await writeFile(at('long'), lines.join(''));
    let joined = '';
    for (let offset: number | undefined = 1; offset !== undefined; ) {
      const part = await read({ path: at('long'), offset });
      expect(part.length).toBeLessThan(31_000);
      joined += part.replace(/\[more lines.*\]$/, '');
      const next: string | undefined = /read on with offset (\d+)\]$/.exec(part)?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    expect(joined).toBe(lines.join(''));
  });

  test('returns the beginning of a line that is too long', async () => {
    await writeFile(at('wide'), `x${'ä'.repeat(40_000)}\nnext\n`);
    const part = await read({ path: at('wide') });
    expect(part).toMatch(/^xä{14999}\n\[line 1 is longer than 30000 bytes: .* the next line is 2\]$/);
    expect(await read({ path: at('wide'), offset: 2 })).toBe('next\n');
  });

  test('explains why a file cannot be read', async () => {
    await writeFile(at('binary'), Buffer.from([0x7f, 0x45, 0, 0xff]));
    await writeFile(at('latin'), Buffer.from([0x47, 0xfc]));
    await mkdir(at('folder'));
    expect(await read({ path: 'none-such.txt' })).toBe('/workspace/none-such.txt does not exist.');
    expect(await read({ path: at('folder') })).toBe(`${at('folder')} is a folder.`);
    expect(await read({ path: '/dev/zero' })).toBe('/dev/zero is not a regular file.');
    for (const name of ['binary', 'latin'])
      expect(await read({ path: at(name) })).toBe(
        `${at(name)} is not a UTF-8 text file. Use bash to inspect it.`,
      );
    expect(await read({ path: '' })).toContain('must not be empty');
    expect(await read({ path: at('empty'), offset: 0 })).toContain('offset: ');
  });
});

describe('write_file', () => {
  const write = (args: Record<string, unknown>) => toolOf('write_file')(args);

  test('writes a file and its folders, and replaces one that exists', async () => {
    expect(await write({ path: at('a/b/c.txt'), content: 'Grüße\n' })).toBe(
      `Wrote 8 bytes to ${at('a/b/c.txt')}.`,
    );
    await chmod(at('a/b/c.txt'), 0o755);
    await write({ path: at('a/b/../b/c.txt'), content: '' });
    expect(await readFile(at('a/b/c.txt'), 'utf8')).toBe('');
    expect((await stat(at('a/b/c.txt'))).mode & 0o777).toBe(0o755);
  });

  test('writes a megabyte', async () => {
    const content = '0123456789abcdef'.repeat(65_536);
    await write({ path: at('big'), content });
    expect(await readFile(at('big'), 'utf8')).toBe(content);
  });

  test('explains why a file cannot be written', async () => {
    await mkdir(at('taken'));
    await writeFile(at('file'), '');
    expect(await write({ path: at('taken'), content: '' })).toMatch(/cannot be written: .*taken/);
    expect(await write({ path: at('file/x'), content: '' })).toMatch(/cannot be written: .*file/);
  });
});

describe('edit_file', () => {
  const edit = async (content: string, args: Record<string, unknown>) => {
    await writeFile(at('edited'), content);
    const output = await toolOf('edit_file')({ path: at('edited'), ...args });
    return { output, after: await readFile(at('edited'), 'utf8') };
  };

  test.each([
    ['a b c', { old_text: 'b', new_text: '$& $1' }, 'a $& $1 c', 1],
    ['a\r\nb\r\n', { old_text: '\r\nb', new_text: '' }, 'a\r\n', 1],
    ['\uFEFFx.x.x', { old_text: 'x', new_text: 'yy', replace_all: true }, '\uFEFFyy.yy.yy', 3],
  ])('%j with %j becomes %j', async (content, args, after, count) => {
    const edited = await edit(content, args);
    expect(edited.after).toBe(after);
    expect(edited.output).toContain(`Replaced ${count} `);
  });

  test.each([
    ['a b', { old_text: 'c', new_text: 'd' }, 'old_text does not occur in'],
    ['a b a', { old_text: 'a', new_text: 'd' }, 'old_text occurs 2 times in'],
    ['a', { old_text: '', new_text: 'd' }, 'old_text: '],
    ['a', { old_text: 'a' }, 'new_text: '],
    ['\0', { old_text: 'a', new_text: 'b' }, 'is not a UTF-8 text file'],
    ['x'.repeat(5 * 1024 ** 2), { old_text: 'a', new_text: 'b' }, 'is larger than 4194304 bytes'],
    [
      'x'.repeat(100_000),
      { old_text: 'x', new_text: 'y'.repeat(100_000), replace_all: true },
      'would become larger',
    ],
  ])(
    '%# returns a sentence that explains the mistake and changes nothing',
    async (content, args, sentence) => {
      const edited = await edit(content, args);
      expect(edited.output).toContain(sentence);
      expect(edited.after === content).toBe(true);
    },
  );

  test('follows a symbolic link and keeps the link', async () => {
    await writeFile(at('target'), 'a');
    await symlink(at('target'), at('link'));
    await toolOf('edit_file')({ path: at('link'), old_text: 'a', new_text: 'b' });
    expect(await readFile(at('target'), 'utf8')).toBe('b');
  });

  test('reports a missing file', async () => {
    const output = await toolOf('edit_file')({ path: 'none', old_text: 'a', new_text: 'b' });
    expect(output).toBe('/workspace/none does not exist.');
  });
});

const simulated = (name: string): AgentModel => ({
  call: async (request) => {
    const { message, finishReason } = await ask({ ...request, model: name });
    const toolCalls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: text } }) => ({
      id,
      name,
      arguments: text,
    }));
    return { content: message.content ?? '', toolCalls, finishReason, usage: null };
  },
});

test('an agent on sim/tool-user runs the block of its instruction and answers with its last line', async () => {
  const instruction = 'Add.\n\n```sh\necho adding >&2\necho $((20 + 22))\n```\n';
  const { result, messages } = await run(simulated('tool-user'), {
    instruction,
    tools: createTools({ exec }),
  });
  expect(result).toEqual({ stopReason: 'finished', answer: '42', turns: 2 });
  expect(messages[2]?.content).toBe('exit code: 0\nstderr:\nadding\n\nstdout:\n42\n');
});

test('an agent on sim/instructed saves its result in the file of the task when its prompt has that rule', async () => {
  const path = at('answer.txt');
  const task = { instruction: `What is 17 + 25? Save it in the file ${path}.`, tools: createTools({ exec }) };
  const vague = await run(simulated('instructed'), { ...task, systemPrompt: 'Solve the task.' });
  expect(vague.result).toMatchObject({ stopReason: 'finished', turns: 1 });
  const systemPrompt = 'Save the result in the file that the task names. Answer with the result only.';
  const { result } = await run(simulated('instructed'), { ...task, systemPrompt });
  expect(result).toEqual({ stopReason: 'finished', answer: '42', turns: 2 });
  expect(await readFile(path, 'utf8')).toBe('42\n');
});
