/** AssumeRole of the security token service: temporary credentials, limited by a policy, as a foreign S3 hands them out. */
import type { IncomingMessage } from 'node:http';
import type { Session, Sessions } from '../../platform/object-storage/embedded/sessions.ts';
import type { Authenticator, RequestHead } from './authenticate.ts';
import { findS3Error } from './error-answers.ts';
import { parsePolicy } from './policy.ts';
import type { Reply } from './reply.ts';
import { S3Error } from './s3-error.ts';
import { element, textElement, xmlDocument } from './xml.ts';

const NAMESPACE = 'https://sts.amazonaws.com/doc/2011-06-15/';
const VERSION = '2011-06-15';
const MAX_BODY_BYTES = 64 * 1024;
const DEFAULT_SECONDS = 3_600;
const MIN_SECONDS = 900;
const MAX_SECONDS = 43_200;
const ROLE_ARN = /^arn:aws:iam::[\w-]*:role\/[\w+=,.@/-]{1,512}$/;
const SESSION_NAME = /^[\w+=,.@-]{2,64}$/;

export interface StsRequest {
  readonly request: IncomingMessage;
  readonly reply: Reply;
  readonly head: RequestHead;
  readonly authenticator: Authenticator;
  readonly sessions: Sessions;
}

/** Errors have a form of their own here. */
export async function answerSts(sts: StsRequest): Promise<void> {
  const { reply } = sts;
  try {
    reply.sendXml(await assumeRole(sts));
  } catch (error) {
    const known = findS3Error(error);
    if (!known) throw error;
    reply.sendXml(toStsError(known, reply.id), known.status);
  }
}

async function assumeRole({ request, reply, head, authenticator, sessions }: StsRequest): Promise<string> {
  const body = await readBody(request, reply);
  const caller = authenticator.authenticateSts(head, body);
  // Who was given less than everything must not be able to ask for more.
  if (caller.isRestricted) throw new S3Error('AccessDenied', 'These credentials may not assume a role.');
  const form = new URLSearchParams(body.toString());
  if (form.get('Action') !== 'AssumeRole' || form.get('Version') !== VERSION)
    throw new S3Error('InvalidAction', 'Only AssumeRole of version 2011-06-15 is known here.');
  const roleArn = form.get('RoleArn') ?? '';
  const sessionName = form.get('RoleSessionName') ?? '';
  if (!ROLE_ARN.test(roleArn)) throw validationError('RoleArn is not the name of a role.');
  if (!SESSION_NAME.test(sessionName)) throw validationError('RoleSessionName is not valid.');
  const policy = form.get('Policy');
  if (policy === null)
    throw validationError('Policy is needed: there are no roles that would limit the session.');
  const session = sessions.issue(parsePolicy(policy), toSeconds(form.get('DurationSeconds')));
  return toResponse({ session, roleArn, sessionName, requestId: reply.id });
}

async function readBody(request: IncomingMessage, reply: Reply): Promise<Buffer> {
  const length = request.headers['content-length'];
  if (length === undefined)
    throw new S3Error('MissingContentLength', 'You must provide the Content-Length HTTP header.');
  if (Number(length) > MAX_BODY_BYTES)
    throw new S3Error('MaxMessageLengthExceeded', 'Your request was too big.');
  reply.welcomeBody();
  const chunks: Buffer[] = [];
  for await (const chunk of request.iterator({ destroyOnReturn: false })) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function toSeconds(text: string | null): number {
  if (text === null) return DEFAULT_SECONDS;
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (seconds < MIN_SECONDS || seconds > MAX_SECONDS)
    throw validationError(`DurationSeconds must be between ${MIN_SECONDS} and ${MAX_SECONDS}.`);
  return seconds;
}

const validationError = (message: string) => new S3Error('ValidationError', message);

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

function toStsError({ code, message, status }: S3Error, requestId: string): string {
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
