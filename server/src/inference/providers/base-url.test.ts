import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';

const server = await startTestServer();
const owner = server.as(server.owner);

const put = (base_url: string) =>
  owner.put('/org/main/inference/providers', {
    providers: [{ name: 'acme', kind: 'openai_compatible', base_url, models: [] }],
  });

test.each([
  ['https://api.openai.com/v1', 'https://api.openai.com/v1'],
  ['https://API.OpenAI.com/v1/', 'https://api.openai.com/v1'],
  ['https://api.anthropic.com', 'https://api.anthropic.com'],
  ['http://8.8.8.8:8000/v1//', 'http://8.8.8.8:8000/v1'],
  ['https://[2606:4700::1111]/v1', 'https://[2606:4700::1111]/v1'],
  ['https://10.example.com', 'https://10.example.com'],
  ['https://localhost.example.com', 'https://localhost.example.com'],
])('base URL %s is normalized to %s', async (given, kept) => {
  expect(await put(given)).toMatchObject({ status: 200, body: [{ base_url: kept }] });
});

test.each([
  'http://localhost:11434/v1',
  'http://LOCALHOST/v1',
  'http://localhost./v1',
  'http://models.localhost/v1',
  'http://127.0.0.1/v1',
  'http://127.0.0.1./v1',
  'http://127.0.0.1../v1',
  'http://127.1/v1',
  'http://2130706433/v1',
  'http://0x7f000001/v1',
  'http://0x7f.0.0.1/v1',
  'http://0177.0.0.1/v1',
  'http://%31%32%37.0.0.1/v1',
  'http://0/v1',
  'http://0.0.0.0/v1',
  'http://10.0.0.1/v1',
  'http://172.16.0.1/v1',
  'http://192.168.1.1/v1',
  'http://100.64.0.1/v1',
  'http://169.254.169.254/latest/meta-data',
  'http://2852039166/latest',
  'http://168.63.129.16/',
  'http://metadata.google.internal/computeMetadata',
  'http://metadata.google.internal./computeMetadata',
  'http://metadata/computeMetadata',
  'http://host.docker.internal:8000/v1',
  'http://printer.local/v1',
  'http://nas.home.arpa/v1',
  'http://ollama:11434/v1',
  'http://[::1]/v1',
  'http://[::]/v1',
  'http://[::ffff:127.0.0.1]/v1',
  'http://[::ffff:7f00:1]/v1',
  'http://[64:ff9b::10.0.0.1]/v1',
  'http://[2002:7f00:1::]/v1',
  'http://[fd00::1]/v1',
  'http://[fe80::1]/v1',
  'http://[fd00:ec2::254]/latest',
  'http://①②⑦.0.0.1/v1',
])('base URL %s is refused as not public', async (given) => {
  expect(await put(given)).toMatchObject({
    status: 422,
    body: { errors: [{ loc: ['body', 'providers', 0, 'base_url'], msg: expect.stringContaining('public') }] },
  });
});

test.each([
  '',
  'api.openai.com/v1',
  'ftp://api.openai.com',
  'file:///etc/passwd',
  'https://',
  'https:///api.openai.com',
  'https://user@api.openai.com/v1',
  'https://user:password@api.openai.com/v1',
  'https://:password@api.openai.com/v1',
  'https://api.openai.com/v1?key=1',
  'https://api.openai.com/v1?',
  'https://api.openai.com/v1#part',
  'https://api.openai.com\\@127.0.0.1/v1',
  'https://api.openai.com\t/v1',
  'https://api.openai.com/v1\n',
  ' https://api.openai.com/v1',
  'https://api.openai.com:99999/v1',
  'https://256.256.256.256/v1',
  'https://[::1/v1',
  `https://api.openai.com/${'x'.repeat(2_048)}`,
])('base URL %j is refused as invalid', async (given) => {
  expect(await put(given)).toMatchObject({
    status: 422,
    body: { errors: [{ loc: ['body', 'providers', 0, 'base_url'] }] },
  });
});
