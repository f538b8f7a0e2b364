/** Authenticates a request: verifies its signature and returns the permissions of the caller. */
import { timingSafeEqual } from 'node:crypto';
import type { Credential, Sessions } from '../../../platform/object-storage/embedded/sessions.ts';
import type { PolicyDocument } from '../../../platform/object-storage/session-policy.ts';
import {
  parseQuery,
  toCanonicalQuery,
  toCanonicalText,
  toHeaderValues,
} from '../../../platform/object-storage/sigv4/canonical-request.ts';
import { sign, signingKeyFor, toStringToSign } from '../../../platform/object-storage/sigv4/signature.ts';
import { canonicaliseUriPath } from '../../../platform/object-storage/sigv4/uri-encoding.ts';
import { S3Error } from '../s3-error.ts';
import { type Claim, type ReadHead, readClaim } from './authorization.ts';
import { type PayloadKind, toPayloadKind, UNSIGNED_PAYLOAD } from './payload-kind.ts';
import { compilePolicy, type Permits, type S3Action, type Target } from './policy.ts';

/** A request as received, with its body unread. */
export interface RequestHead {
  readonly method: string;
  /** Path before the question mark, as sent. */
  readonly rawPath: string;
  /** Query after the question mark; empty if there is none. */
  readonly rawQuery: string;
  readonly rawHeaders: readonly string[];
}

export interface Caller {
  readonly accessKeyId: string;
  /** Whether a policy limits the caller; only unrestricted callers may issue credentials. */
  readonly isRestricted: boolean;
  may(action: S3Action, on: Target): boolean;
}

export interface Authenticated {
  readonly caller: Caller;
  readonly payload: PayloadKind;
}

interface AuthenticatorOptions {
  readonly sessions: Sessions;
  readonly bucket: string;
}

const MAX_SKEW_MILLISECONDS = 15 * 60_000;

export class Authenticator {
  private readonly sessions: Sessions;
  private readonly bucket: string;
  private readonly compiled = new WeakMap<PolicyDocument, Permits>();

  constructor({ sessions, bucket }: AuthenticatorOptions) {
    this.sessions = sessions;
    this.bucket = bucket;
  }

  /** @throws S3Error */
  authenticate(request: RequestHead): Authenticated {
    const head = readHead(request);
    const claim = readClaim(head, this.sessions.region);
    const isPresigned = claim.expiresInSeconds !== undefined;
    const contentSha256 = claim.contentSha256 ?? (isPresigned ? UNSIGNED_PAYLOAD : undefined);
    if (contentSha256 === undefined)
      throw new S3Error('InvalidRequest', 'The header x-amz-content-sha256 is needed.');
    const { credential, signingKey } = this.verify(request, head, claim, contentSha256);
    return {
      caller: this.toCaller(credential),
      payload: toPayloadKind(contentSha256, {
        signingKey,
        amzDate: claim.amzDate,
        scope: claim.scope,
        seedSignature: claim.signature,
      }),
    };
  }

  private verify(request: RequestHead, head: ReadHead, claim: Claim, payloadHash: string) {
    const credential = this.getCredential(claim);
    checkTime(claim);
    checkSignedHeaders(head, claim);
    const signingKey = signingKeyFor(credential.secretAccessKey, claim.scope);
    const canonicalText = toCanonicalText({
      method: request.method,
      path: head.path,
      query: toCanonicalQuery(head.query.filter(([name]) => name !== 'X-Amz-Signature')),
      headers: claim.signedHeaders.map((name) => [name, head.headers.get(name) ?? '']),
      payloadHash,
    });
    const stringToSign = toStringToSign(claim.amzDate, claim.scope, canonicalText);
    if (!isSame(sign(signingKey, stringToSign), claim.signature))
      throw new S3Error(
        'SignatureDoesNotMatch',
        'The signature does not match the request. Compare what was signed with StringToSign and CanonicalRequest, and check the secret key.',
        {
          AWSAccessKeyId: claim.accessKeyId,
          StringToSign: stringToSign,
          SignatureProvided: claim.signature,
          CanonicalRequest: canonicalText,
        },
      );
    return { credential, signingKey };
  }

  private getCredential({ accessKeyId, sessionToken }: Claim): Credential {
    const found = this.sessions.find(accessKeyId, sessionToken);
    if (found === 'expired')
      throw new S3Error('ExpiredToken', 'The session has ended. Ask for new credentials.');
    if (found === 'invalid')
      throw new S3Error('InvalidToken', 'The session token does not belong to this access key.');
    if (!found) {
      const hint = sessionToken === undefined ? ' Send the session token that it came with, too.' : '';
      throw new S3Error('InvalidAccessKeyId', `This access key is unknown.${hint}`, {
        AWSAccessKeyId: accessKeyId,
      });
    }
    return found;
  }

  private toCaller({ accessKeyId, policy }: Credential): Caller {
    if (policy === 'everything') return { accessKeyId, isRestricted: false, may: () => true };
    const known = this.compiled.get(policy);
    const may = known ?? compilePolicy(policy, this.bucket);
    if (!known) this.compiled.set(policy, may);
    return { accessKeyId, isRestricted: true, may };
  }
}

function readHead({ rawPath, rawQuery, rawHeaders }: RequestHead): ReadHead {
  const path = canonicaliseUriPath(rawPath);
  const query = parseQuery(rawQuery);
  if (path === undefined || !query)
    throw new S3Error('InvalidURI', 'The path or the query is not encoded correctly.');
  const authorizations = rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization',
  ).length;
  return { path, query, headers: toHeaderValues(rawHeaders), authorizations };
}

function checkTime({ signedAtMilliseconds, expiresInSeconds, amzDate }: Claim): void {
  const now = Date.now();
  const serverTime = () => new Date(now).toISOString();
  if (expiresInSeconds === undefined) {
    if (Math.abs(now - signedAtMilliseconds) > MAX_SKEW_MILLISECONDS)
      throw new S3Error(
        'RequestTimeTooSkewed',
        'The clocks differ by more than 15 minutes. Correct the clock of the client.',
        {
          RequestTime: amzDate,
          ServerTime: serverTime(),
          MaxAllowedSkewMilliseconds: String(MAX_SKEW_MILLISECONDS),
        },
      );
    return;
  }
  if (signedAtMilliseconds - now > MAX_SKEW_MILLISECONDS)
    throw new S3Error(
      'AccessDenied',
      'The link is dated in the future. Correct the clock of the machine that signed it.',
      { ServerTime: serverTime() },
    );
  const expiresAt = signedAtMilliseconds + expiresInSeconds * 1000;
  if (now >= expiresAt)
    throw new S3Error('AccessDenied', 'The link has expired. Request a new one.', {
      'X-Amz-Expires': String(expiresInSeconds),
      Expires: new Date(expiresAt).toISOString(),
      ServerTime: serverTime(),
    });
}

/** Headers that the signature does not cover could have been added by anyone on the way. */
function checkSignedHeaders({ headers }: ReadHead, { signedHeaders }: Claim): void {
  const signed = new Set(signedHeaders);
  const needed = headers.keys().filter((name) => name.startsWith('x-amz-'));
  const notSigned = ['host', ...needed].filter((name) => !signed.has(name));
  if (notSigned.length > 0)
    throw new S3Error('AccessDenied', 'Some headers that must be signed are not.', {
      HeadersNotSigned: notSigned.join(', '),
    });
  const absent = signedHeaders.find((name) => !headers.has(name));
  if (absent !== undefined)
    throw new S3Error(
      'SignatureDoesNotMatch',
      `The signature covers the header ${absent}, which is missing.`,
    );
}

function isSame(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected, 'latin1'), Buffer.from(given, 'latin1')];
  return a.length === b.length && timingSafeEqual(a, b);
}
