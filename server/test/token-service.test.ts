/** AssumeRole, with a gateway in place of an external S3. */
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { AssumeRoleCommand, type AssumeRoleCommandInput, STSClient } from '@aws-sdk/client-sts';
import { describe, expect, test } from 'vitest';
import { toSessionPolicy } from '../src/platform/object-storage/session-policy.ts';
import { BUCKET, failure, type Keys, REGION, startTestGateway } from './gateways.ts';
import { codeOf, sendRaw } from './raw-http.ts';
import { type RequestToSign, signRequest } from './s3-requests.ts';
import { createTokenService } from './token-service.ts';

const gateway = await startTestGateway({}, createTokenService);
const { endpoint, port, root } = gateway;

const POLICY = JSON.stringify(toSessionPolicy(BUCKET, { prefix: 'mine/', access: 'write' }));
const ROLE = 'arn:aws:iam::123456789012:role/drydock';
const FORM = {
  Action: 'AssumeRole',
  Version: '2011-06-15',
  RoleArn: ROLE,
  RoleSessionName: 'test',
  DurationSeconds: '900',
  Policy: POLICY,
};

async function assumeRole(credentials: Keys, more: Partial<AssumeRoleCommandInput> = {}): Promise<Keys> {
  const sts = new STSClient({ endpoint, region: REGION, credentials });
  const { Credentials: issued } = await sts.send(
    new AssumeRoleCommand({ RoleArn: ROLE, RoleSessionName: 'test', Policy: POLICY, ...more }),
  );
  sts.destroy();
  expect(issued?.Expiration?.getTime()).toBeGreaterThan(Date.now() + 890_000);
  return {
    accessKeyId: issued?.AccessKeyId ?? '',
    secretAccessKey: issued?.SecretAccessKey ?? '',
    sessionToken: issued?.SessionToken ?? '',
  };
}

/** Posts a raw form. */
function post(form: Record<string, string | undefined>, more: Partial<RequestToSign> = {}) {
  const given = Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const body = new URLSearchParams(given).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const request = { method: 'POST', host: `127.0.0.1:${port}`, path: '/', body, headers, service: 'sts' };
  return signRequest({ credentials: root, ...request, ...more });
}

test('AssumeRole issues credentials with exactly the permissions of their policy', async () => {
  const session = await assumeRole(root, { DurationSeconds: 900 });
  const s3 = gateway.client(session);
  await s3.send(new PutObjectCommand({ Bucket: BUCKET, Key: 'mine/a', Body: 'x' }));
  await s3.send(new ListObjectsV2Command({ Bucket: BUCKET, Prefix: 'mine/' }));
  expect(await failure(s3.send(new GetObjectCommand({ Bucket: BUCKET, Key: 'other/a' })))).toBe(
    'AccessDenied',
  );
  expect(await failure(s3.send(new ListObjectsV2Command({ Bucket: BUCKET })))).toBe('AccessDenied');
});

test("AssumeRole returns a response in the service's format", async () => {
  const { status, body, headers } = await sendRaw(port, post(FORM));
  expect([status, headers['content-type']]).toEqual([200, 'application/xml']);
  expect(body).toContain('<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">');
  expect(body).toContain('<Arn>arn:aws:sts::123456789012:assumed-role/drydock/test</Arn>');
});

test('AssumeRole refuses restricted credentials, even for the same permissions', async () => {
  const session = await assumeRole(root);
  const everything = JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }],
  });
  for (const Policy of [everything, POLICY])
    expect(await failure(assumeRole(session, { Policy }))).toBe('AccessDenied');
});

const statement = (change: object) =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: 's3:GetObject', Resource: 'arn:aws:s3:::drydock/*', ...change }],
  });

describe('AssumeRole refuses with an error in its own format', () => {
  test.each([
    ['another action', { Action: 'GetCallerIdentity' }, 400, 'InvalidAction'],
    ['another version', { Version: '2010-01-01' }, 400, 'InvalidAction'],
    ['no role', { RoleArn: undefined }, 400, 'ValidationError'],
    ['an invalid role', { RoleArn: 'root' }, 400, 'ValidationError'],
    ['no name', { RoleSessionName: undefined }, 400, 'ValidationError'],
    ['an invalid name', { RoleSessionName: '<b>' }, 400, 'ValidationError'],
    ['no policy', { Policy: undefined }, 400, 'ValidationError'],
    ['a second', { DurationSeconds: '1' }, 400, 'ValidationError'],
    ['a day', { DurationSeconds: '86400' }, 400, 'ValidationError'],
    ['a while', { DurationSeconds: '1e3' }, 400, 'ValidationError'],
    ['a policy that is not JSON', { Policy: 'everything' }, 400, 'MalformedPolicyDocument'],
    ['an empty policy', { Policy: '' }, 400, 'MalformedPolicyDocument'],
    [
      'a policy of another version',
      { Policy: POLICY.replace('2012', '2008') },
      400,
      'MalformedPolicyDocument',
    ],
    ['a denial', { Policy: statement({ Effect: 'Deny' }) }, 400, 'MalformedPolicyDocument'],
    [
      'all actions but some',
      { Policy: statement({ NotAction: 's3:PutObject' }) },
      400,
      'MalformedPolicyDocument',
    ],
    ['all resources but some', { Policy: statement({ NotResource: 'x' }) }, 400, 'MalformedPolicyDocument'],
    ['a principal', { Policy: statement({ Principal: '*' }) }, 400, 'MalformedPolicyDocument'],
    [
      'a condition that is not known',
      { Policy: statement({ Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } } }) },
      400,
      'MalformedPolicyDocument',
    ],
    [
      'a variable',
      { Policy: statement({ Resource: `arn:aws:s3:::drydock/\${aws:username}/*` }) },
      400,
      'MalformedPolicyDocument',
    ],
    ['a long policy', { Policy: statement({ Sid: 'x'.repeat(3_000) }) }, 400, 'MalformedPolicyDocument'],
    ['policies by name', { 'PolicyArns.member.1.arn': 'arn:aws:iam::aws:policy/x' }, 400, 'ValidationError'],
    ['tags', { 'Tags.member.1.Key': 'a' }, 400, 'ValidationError'],
    ['a large form', { Filler: 'x'.repeat(70_000) }, 400, 'MaxMessageLengthExceeded'],
  ])('%s', async (_name, change, status, code) => {
    const response = await sendRaw(port, post({ ...FORM, ...change }));
    expect([response.status, codeOf(response)]).toEqual([status, code]);
    expect(response.body).toContain(
      '<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender',
    );
    expect(response.body).not.toContain('SecretAccessKey');
  });

  test.each([
    ['for the other service', post(FORM, { service: 's3' }), 'IncompleteSignature'],
    [
      'with another secret',
      post(FORM, { credentials: { ...root, secretAccessKey: 'x' } }),
      'SignatureDoesNotMatch',
    ],
    [
      'by a key that is not known',
      post(FORM, { credentials: { ...root, accessKeyId: 'x' } }),
      'InvalidClientTokenId',
    ],
    ['an hour ago', post(FORM, { signedAtMilliseconds: Date.now() - 3_600_000 }), 'RequestExpired'],
    [
      'for another form',
      (() => {
        const signed = post(FORM);
        return { ...signed, body: Buffer.from(signed.body.toString().replace('mine', 'ours')) };
      })(),
      'SignatureDoesNotMatch',
    ],
  ])('signed %s', async (_name, request, code) => {
    const response = await sendRaw(port, request);
    expect(codeOf(response)).toBe(code);
    expect(response.body).toContain('<ErrorResponse ');
  });
});

test('a gateway of our own does not offer AssumeRole', async () => {
  const plain = await startTestGateway();
  const host = `127.0.0.1:${plain.port}`;
  expect(codeOf(await sendRaw(plain.port, post(FORM, { host })))).toBe('AuthorizationHeaderMalformed');
  expect(codeOf(await sendRaw(plain.port, post(FORM, { host, service: 's3' })))).toBe('MethodNotAllowed');
});
