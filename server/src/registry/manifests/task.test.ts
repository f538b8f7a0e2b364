import { expect, test } from 'vitest';
import { findMistakes, NO_LISTING, readManifest } from '../../../test/manifests.ts';

const TASK = 'name: thing\nversion: 1.0.0\ninstruction: |\n\n  Find the flag at {{service_url}}.\n  More.\n';
const FLAG = `verification: {method: flag, hash: ${'Ab'.repeat(32)}}\n`;

test('a task manifest is read', async () => {
  const yaml = `${TASK}environment:
  build: image
  setup: [apt-get update, make]
  files: {/data: data, /etc/motd: motd}
  env: {PORT: 80, NAME: x}
  network: {allowlist: [example.com, "*.example.org:443"]}
verification: {method: script, script: ./verify.sh, timeout_seconds: 60}
solution: solve.sh
timeout_seconds: 600
resources: {cpu_cores: 4, memory_mb: 1024}
tags: [ctf]
difficulty: hard
source: acme
`;
  expect(await readManifest('task', yaml, ['verify.sh', 'image/Dockerfile', 'data/a/b', 'motd'])).toEqual({
    listing: {
      ...NO_LISTING,
      summary: 'Find the flag at {{service_url}}.',
      tags: ['ctf'],
      difficulty: 'hard',
      source: 'acme',
    },
    details: {
      instruction: '\nFind the flag at {{service_url}}.\nMore.\n',
      template_variables: ['service_url'],
      environment: {
        image: null,
        build: { context: 'image', dockerfile: 'image/Dockerfile' },
        setup: ['apt-get update', 'make'],
        files: [
          { source: 'data', target: '/data' },
          { source: 'motd', target: '/etc/motd' },
        ],
        env: { PORT: '80', NAME: 'x' },
        network: { mode: 'allowlist', allowlist: ['example.com', '*.example.org:443'] },
      },
      verification_method: 'script',
      verification: { method: 'script', script: 'verify.sh', timeout_seconds: 60 },
      has_solution: true,
      timeout_seconds: 600,
      resources: { cpu_cores: 4, memory_mb: 1024 },
    },
  });
  expect((await readManifest('task', TASK + FLAG)).details).toMatchObject({
    environment: {
      image: null,
      build: null,
      setup: [],
      files: [],
      env: {},
      network: { mode: 'none', allowlist: [] },
    },
    verification: { method: 'flag', hash: 'ab'.repeat(32), timeout_seconds: null },
    has_solution: false,
    timeout_seconds: null,
    resources: { cpu_cores: null, memory_mb: null },
  });
});

test.each<[string, unknown]>([
  ['none', { mode: 'none', allowlist: [] }],
  ['open', { mode: 'open', allowlist: [] }],
  ['[a.example]', { mode: 'allowlist', allowlist: ['a.example'] }],
  ['{allowlist: [a.example]}', { mode: 'allowlist', allowlist: ['a.example'] }],
  ['allowlist\n  allowlist: ["10.0.0.1:80"]', { mode: 'allowlist', allowlist: ['10.0.0.1:80'] }],
])('a task with network %s is read', async (network, expected) => {
  const yaml = `${TASK}${FLAG}environment:\n  image: debian:12\n  network: ${network}\n`;
  expect((await readManifest('task', yaml)).details.environment).toMatchObject({
    image: 'debian:12',
    network: expected,
  });
});

test.each<[string, unknown]>([
  ['.', { context: '', dockerfile: 'Dockerfile' }],
  ['Dockerfile', { context: '', dockerfile: 'Dockerfile' }],
  ['sub', { context: 'sub', dockerfile: 'sub/Dockerfile' }],
  ['sub/Dockerfile', { context: 'sub', dockerfile: 'sub/Dockerfile' }],
  ['{context: sub, dockerfile: Dockerfile}', { context: 'sub', dockerfile: 'Dockerfile' }],
])('a task with build: %s is read', async (build, expected) => {
  const yaml = `${TASK}${FLAG}environment: {build: ${build}}\n`;
  const { details } = await readManifest('task', yaml, ['Dockerfile', 'sub/Dockerfile']);
  expect(details.environment).toMatchObject({ build: expected });
});

test.each<[string, string]>([
  ['verification: {method: script}', 'verification.script: line 7: "script" is required'],
  ['verification: {method: script, script: no.sh}', 'verification.script: names "no.sh"'],
  ['verification: {method: flag}', 'verification.hash: line 7: "hash" is required'],
  ['verification: {method: flag, hash: abc}', 'verification.hash: line 7: must be the SHA-256'],
  ['verification: {method: contains}', 'verification.expected: line 7: '],
  ['verification: {method: exact, expected: 1.5}', 'verification.expected: line 7: must be text'],
  ['verification: {method: judge}', 'verification.method: line 7: '],
  ['tags: []', 'verification: line 1: "verification" is required'],
  [`${FLAG}environment: {image: a, build: .}`, 'environment.build: line 8: cannot stand beside "image"'],
  [`${FLAG}environment: {build: sub}`, 'environment.build: names "sub/Dockerfile"'],
  [`${FLAG}environment: {files: [nothing]}`, 'environment.files: names "nothing"'],
  [
    `${FLAG}environment: {files: [${'a,'.repeat(1_001)}]}`,
    'environment.files: line 8: must not hold more than 1000 entries',
  ],
  [`${FLAG}environment: {network: closed}`, 'environment.network: line 8: must be "none", "open"'],
  [`${FLAG}environment: {network: allowlist}`, 'environment.allowlist: line 8: is needed'],
  [`${FLAG}environment: {network: ["http://x"]}`, 'environment.network.0: line 8: must be a host'],
  [`${FLAG}environment: {env: {"A-B": x}}`, 'environment.env.A-B: line 8: '],
  [`${FLAG}timeout_seconds: 0`, 'timeout_seconds: line 8: '],
  [`${FLAG}resources: {cpu_cores: 33}`, 'resources.cpu_cores: line 8: '],
  [`${FLAG}resources: {memory_mb: 511}`, 'resources.memory_mb: line 8: '],
  [`${FLAG}resources: {memory_mb: 131073}`, 'resources.memory_mb: line 8: '],
])('a task with %s is refused', async (yaml, text) => {
  const [mistake, ...others] = await findMistakes('task', TASK + yaml);
  expect(mistake).toContain(text);
  expect(others).toEqual([]);
});

test('a manifest with the maximum number of deep and repeated file paths is read fast', async () => {
  const deep = Array.from({ length: 10_000 }, (_, index) => `${'d/'.repeat(30)}${index}`);
  const named = Array.from({ length: 1_000 }, () => 'z');
  const yaml = `${TASK}${FLAG}environment: {files: [${named.join(', ')}]}\n`;
  const started = performance.now();
  expect((await readManifest('task', yaml, [...deep, 'z/a'])).details.environment).toMatchObject({
    files: { length: 1_000 },
  });
  expect(performance.now() - started).toBeLessThan(10_000);
});

test('unknown template variables that resemble known ones are refused; other braces are kept', async () => {
  const task = (instruction: string) => `name: thing\nversion: 1.0.0\ninstruction: "${instruction}"\n${FLAG}`;
  expect(await findMistakes('task', task('at {{ service_ulr }}'))).toEqual([
    'instruction: line 3: holds {{ service_ulr }}; the variables are {{service_url}}, {{service_host}}, {{service_port}}',
  ]);
  expect(
    (await readManifest('task', task('{{name}} at {{ service_host }}:{{service_port}}'))).details,
  ).toMatchObject({
    template_variables: ['service_host', 'service_port'],
  });
});

test('a task manifest needs a valid version and the name in the path', async () => {
  expect(await findMistakes('task', `instruction: x\n${FLAG}`)).toEqual([
    'name: line 1: "name" is required',
    'version: line 1: "version" is required',
  ]);
  expect(await findMistakes('task', `name: other\nversion: 1.0\ninstruction: x\n${FLAG}`)).toEqual([
    'name: line 1: must equal the name that is published, "thing"',
    expect.stringContaining('version: line 2: '),
  ]);
});

test('a long first line is truncated in the summary', async () => {
  const { listing } = await readManifest(
    'task',
    `name: thing\nversion: 1.0.0\ninstruction: ${'🎉'.repeat(300)}\n${FLAG}`,
  );
  expect(Array.from(listing.summary ?? '')).toHaveLength(200);
});
