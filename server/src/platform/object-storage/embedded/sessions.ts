/** Credentials of the embedded store: signed session tokens, the server's own key, and listed accounts. */
import { randomBytes } from 'node:crypto';
import { deflateSync, inflateSync } from 'node:zlib';
import type { Signer } from '../../auth/signing.ts';
import type { PolicyDocument } from '../session-policy.ts';

export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface Credential extends AccessKey {
  /** The same object for every request of a session. */
  readonly policy: PolicyDocument | 'everything';
}

export interface Session extends AccessKey {
  readonly sessionToken: string;
  readonly expiresAt: Date;
}

interface SessionsOptions {
  readonly signer: Signer;
  readonly region: string;
  /** Unrestricted keys, for a gateway that acts as an external S3 server. */
  readonly accounts?: readonly AccessKey[] | undefined;
}

/** Content of a token. Names are short because it is sent with every request. */
interface Statement {
  /** Access key. */
  readonly k: string;
  /** Expiry in seconds since 1970. */
  readonly e: number;
  /** Compressed policy. */
  readonly p: string;
}

interface OpenSession {
  readonly credential: Credential;
  readonly expiresAtMilliseconds: number;
}

const MAX_REMEMBERED = 1000;
/** Far more than a compressed policy of the maximum size needs. */
const MAX_TOKEN_LENGTH = 4096;

/** Stores nothing: the token contains everything, and the secret is derived from it with the signing key. */
export class Sessions {
  readonly region: string;
  /** The server's own key, which signs URLs. */
  readonly own: AccessKey;
  private readonly signer: Signer;
  private readonly unlimited: ReadonlyMap<string, Credential>;
  private readonly remembered = new Map<string, OpenSession>();

  constructor({ signer, region, accounts = [] }: SessionsOptions) {
    this.signer = signer;
    this.region = region;
    const [own, ...others] = signer.secretsFor('storage-key', 'own').map(toOwnKey);
    if (!own) throw new Error('a signer has a current key');
    this.own = own;
    this.unlimited = new Map(
      [own, ...others, ...accounts].map((key) => [key.accessKeyId, { ...key, policy: 'everything' }]),
    );
  }

  issue(policy: PolicyDocument, seconds: number): Session {
    const accessKeyId = toAccessKeyId('DRYT', randomBytes(16));
    const expires = Math.floor(Date.now() / 1000) + seconds;
    const statement: Statement = { k: accessKeyId, e: expires, p: packPolicy(policy) };
    const sessionToken = this.signer.sign('storage-session', statement);
    const secret = this.signer.findSecretOf('storage-session', sessionToken);
    if (!secret || sessionToken.length > MAX_TOKEN_LENGTH) throw new Error('the policy is too large');
    return {
      accessKeyId,
      secretAccessKey: toSecretAccessKey(secret),
      sessionToken,
      expiresAt: new Date(expires * 1000),
    };
  }

  /** @returns undefined for an unknown key; `invalid` for a token that does not belong to the key */
  find(
    accessKeyId: string,
    sessionToken: string | undefined,
  ): Credential | 'invalid' | 'expired' | undefined {
    const unlimited = this.unlimited.get(accessKeyId);
    if (unlimited) return sessionToken === undefined ? unlimited : 'invalid';
    if (sessionToken === undefined) return undefined;
    const session = this.remembered.get(sessionToken) ?? this.open(sessionToken);
    if (session?.credential.accessKeyId !== accessKeyId) return 'invalid';
    return session.expiresAtMilliseconds <= Date.now() ? 'expired' : session.credential;
  }

  private open(sessionToken: string): OpenSession | undefined {
    if (sessionToken.length > MAX_TOKEN_LENGTH) return undefined;
    const secret = this.signer.findSecretOf('storage-session', sessionToken);
    if (!secret) return undefined;
    const { k, e, p } = this.signer.open('storage-session', sessionToken) as Statement;
    const policy = findUnpacked(p);
    if (!policy) return undefined;
    const session: OpenSession = {
      credential: { accessKeyId: k, secretAccessKey: toSecretAccessKey(secret), policy },
      expiresAtMilliseconds: e * 1000,
    };
    const [oldest] = this.remembered.keys();
    if (this.remembered.size >= MAX_REMEMBERED && oldest !== undefined) this.remembered.delete(oldest);
    this.remembered.set(sessionToken, session);
    return session;
  }
}

/** The id reveals nothing of the secret, because they are separate bytes. */
const toOwnKey = (secret: Buffer): AccessKey => ({
  accessKeyId: toAccessKeyId('DRYK', secret.subarray(0, 16)),
  secretAccessKey: toSecretAccessKey(secret.subarray(16)),
});

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Returns twenty capital letters and digits, as clients expect. */
const toAccessKeyId = (prefix: 'DRYK' | 'DRYT', sixteenBytes: Uint8Array) =>
  prefix + Array.from(sixteenBytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('');

const toSecretAccessKey = (secret: Buffer) => secret.toString('base64url');

/**
 * Compression dictionary with the words of policies: what remains is little more than the prefix. It is fixed rather than generated,
 * because data compressed with another dictionary cannot be decompressed, so a change would end every session.
 */
const WORDS = Buffer.from(
  '["arn:aws:s3:::*",{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":[' +
    '"s3:GetObject"],"Resource":[' +
    '"arn:aws:s3:::drydock/orgs/00000000-0000-7000-8000-000000000000/*"]},{"Effect":"Allow",' +
    '"Action":["s3:ListBucket"],"Resource":["arn:aws:s3:::drydock"],"Condition":{"StringLike":{' +
    '"s3:prefix":["orgs/00000000-0000-7000-8000-000000000000/*"]}}},{"Effect":"Allow","Action":[' +
    '"s3:GetBucketLocation"],"Resource":["arn:aws:s3:::drydock"]}]},{"Version":"2012-10-17",' +
    '"Statement":[{"Effect":"Allow","Action":["s3:GetObject","s3:PutObject","s3:DeleteObject",' +
    '"s3:AbortMultipartUpload","s3:ListMultipartUploadParts"],"Resource":[' +
    '"arn:aws:s3:::drydock/orgs//workspaces/*"]},{"Effect":"Allow","Action":["s3:ListBucket"],' +
    '"Resource":["arn:aws:s3:::drydock"],"Condition":{"StringLike":{"s3:prefix":[' +
    '"orgs//workspaces/*"]}}},{"Effect":"Allow","Action":["s3:GetBucketLocation"],"Resource":[' +
    '"arn:aws:s3:::drydock"]}]}]',
);

const packPolicy = (policy: PolicyDocument) =>
  deflateSync(JSON.stringify(policy), { dictionary: WORDS, level: 9 }).toString('base64url');

function findUnpacked(packed: string): PolicyDocument | undefined {
  try {
    const json = inflateSync(Buffer.from(packed, 'base64url'), { dictionary: WORDS }).toString();
    return JSON.parse(json) as PolicyDocument;
  } catch {
    return undefined;
  }
}
