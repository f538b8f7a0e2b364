/** The token service of an external S3: AssumeRole issues temporary credentials that a policy limits. */
import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Credential, Session, Sessions } from '../src/platform/object-storage/embedded/sessions.ts';
import {
  parseQuery,
  toCanonicalQuery,
  toCanonicalText,
  toHeaderValues,
} from '../src/platform/object-storage/sigv4/canonical-request.ts';
import {
  findMilliseconds,
  sign,
  signingKeyFor,
  toStringToSign,
} from '../src/platform/object-storage/sigv4/signature.ts';
import type { RequestHead } from '../src/storage/gateway/authentication/authenticate.ts';
import type { ServiceRequest } from '../src/storage/gateway/request-handler.ts';
import { element, textElement, xmlDocument } from '../src/storage/gateway/xml/xml.ts';
import { parsePolicy } from './policy-documents.ts';
import { ServiceError } from './service-error.ts';

const NAMESPACE = 'https://sts.amazonaws.com/doc/2011-06-15/';
const VERSION = '2011-06-15';
const MAX_BODY_BYTES = 64 * 1024;
const DEFAULT_SECONDS = 3_600;
const MIN_SECONDS = 900;
const MAX_SECONDS = 43_200;
const ROLE_ARN = /^arn:aws:iam::[\w-]*:role\/[\w+=,.@/-]{1,512}$/;
const SESSION_NAME = /^[\w+=,.@-]{2,64}$/;

/** The supported parameters; ignoring any other would grant more than was requested. */
const PARAMETERS = new Set(['Action', 'Version', 'RoleArn', 'RoleSessionName', 'DurationSeconds', 'Policy']);

/** Passed to a gateway; its errors have a format of their own. */
export function createTokenService(sessions: Sessions) {
  return async ({ request, reply, head }: ServiceRequest): Promise<void> => {
    try {
      const body = await readBody(request);
      reply.sendXml(assumeRole(sessions, head, body, reply.id));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      reply.sendXml(toErrorResponse(error, reply.id), error.status);
    }
  };
}

function assumeRole(sessions: Sessions, head: RequestHead, body: Buffer, requestId: string): string {
  // Restricted credentials must not obtain further permissions.
  if (authenticate(sessions, head, body).policy !== 'everything')
    throw new ServiceError('AccessDenied', 'These credentials may not assume a role.', 403);
  const form = new URLSearchParams(body.toString());
  if (form.get('Action') !== 'AssumeRole' || form.get('Version') !== VERSION)
    throw new ServiceError('InvalidAction', `Only AssumeRole of version ${VERSION} is known here.`);
  const unknown = form.keys().find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined) throw validationError(`The parameter ${unknown} is not known here.`);
  const roleArn = form.get('RoleArn') ?? '';
  const sessionName = form.get('RoleSessionName') ?? '';
  if (!ROLE_ARN.test(roleArn)) throw validationError('RoleArn is not the name of a role.');
  if (!SESSION_NAME.test(sessionName)) throw validationError('RoleSessionName is not valid.');
  const policy = form.get('Policy');
  if (policy === null)
    throw validationError('Policy is needed: there are no roles that would limit the session.');
  const session = sessions.issue(parsePolicy(policy), toSeconds(form.get('DurationSeconds')));
  return toResponse({ session, roleArn, sessionName, requestId });
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  if (!(Number(request.headers['content-length']) <= MAX_BODY_BYTES))
    throw new ServiceError('MaxMessageLengthExceeded', 'The form is too large.');
  const chunks: Buffer[] = [];
  for await (const chunk of request.iterator({ destroyOnReturn: false })) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/sts\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=([\da-f]{64})$/;
const MAX_SKEW_MILLISECONDS = 15 * 60_000;

/** A request to this service is signed with its whole body. */
function authenticate(sessions: Sessions, head: RequestHead, body: Buffer): Credential {
  const headers = toHeaderValues(head.rawHeaders);
  const claim = AUTHORIZATION.exec(headers.get('authorization') ?? '');
  if (!claim) throw new ServiceError('IncompleteSignature', 'The request is not signed for this service.');
  const [, accessKeyId = '', date = '', region = '', signedHeaders = '', signature = ''] = claim;
  const credential = sessions.find(accessKeyId, headers.get('x-amz-security-token'));
  if (!credential || typeof credential === 'string')
    throw new ServiceError('InvalidClientTokenId', 'The credentials are not known, or not any more.', 403);
  const amzDate = headers.get('x-amz-date') ?? '';
  if (!(Math.abs(Date.now() - (findMilliseconds(amzDate) ?? 0)) <= MAX_SKEW_MILLISECONDS))
    throw new ServiceError('RequestExpired', 'The request was not signed just now.');
  const canonicalText = toCanonicalText({
    method: head.method,
    path: head.rawPath,
    query: toCanonicalQuery(parseQuery(head.rawQuery) ?? []),
    headers: signedHeaders.split(';').map((name) => [name, headers.get(name) ?? '']),
    payloadHash: hash('sha256', body, 'hex'),
  });
  const scope = { date, region, service: 'sts' };
  const key = signingKeyFor(credential.secretAccessKey, scope);
  if (sign(key, toStringToSign(amzDate, scope, canonicalText)) !== signature)
    throw new ServiceError('SignatureDoesNotMatch', 'The signature is not that of this request.', 403);
  return credential;
}

function toSeconds(text: string | null): number {
  if (text === null) return DEFAULT_SECONDS;
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (seconds < MIN_SECONDS || seconds > MAX_SECONDS)
    throw validationError(`DurationSeconds must be between ${MIN_SECONDS} and ${MAX_SECONDS}.`);
  return seconds;
}

const validationError = (message: string) => new ServiceError('ValidationError', message);

interface AssumedRole {
  readonly session: Session;
  readonly roleArn: string;
  readonly sessionName: string;
  readonly requestId: string;
}

function toResponse({ session, roleArn, sessionName, requestId }: AssumedRole): string {
  const assumedArn = `${roleArn.replace(':iam:', ':sts:').replace(':role/', ':assumed-role/')}/${sessionName}`;
  return xmlDocument(
    'AssumeRoleResponse',
    [
      element('AssumeRoleResult', [
        element('AssumedRoleUser', [
          textElement('AssumedRoleId', `${session.accessKeyId}:${sessionName}`),
          textElement('Arn', assumedArn),
        ]),
        element('Credentials', [
          textElement('AccessKeyId', session.accessKeyId),
          textElement('SecretAccessKey', session.secretAccessKey),
          textElement('SessionToken', session.sessionToken),
          textElement('Expiration', session.expiresAt.toISOString()),
        ]),
      ]),
      element('ResponseMetadata', [textElement('RequestId', requestId)]),
    ],
    NAMESPACE,
  );
}

function toErrorResponse({ code, message, status }: ServiceError, requestId: string): string {
  return xmlDocument(
    'ErrorResponse',
    [
      element('Error', [
        textElement('Type', status < 500 ? 'Sender' : 'Receiver'),
        textElement('Code', code),
        textElement('Message', message),
      ]),
      textElement('RequestId', requestId),
    ],
    NAMESPACE,
  );
}
