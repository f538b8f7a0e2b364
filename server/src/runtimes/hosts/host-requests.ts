/** Requests from one process to another that is a host: each is signed for that host, verb and body. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Signer } from '../../platform/auth/signing.ts';
import { ApiError } from '../../platform/errors.ts';
import { ErrorResponse, toErrorEnvelope } from '../../platform/http/responses/error-responses.ts';
import { PauseReason, StartRequest } from '../schema.ts';

export const INTERNAL_PREFIX = '/internal/hosts';

/** Header with the request in base64url for an upgrade, which has no body. */
export const REQUEST_HEADER = 'x-drydock-request';

const VALID_MS = 30_000;

export const VERBS = [
  'start',
  'pause',
  'resume',
  'reset',
  'end',
  'delete',
  'exec',
  'connect',
  'terminal',
  'terminal-check',
  'capabilities',
  'take-workspace',
] as const;
export type HostVerb = (typeof VERBS)[number];

const TargetShape = z.object({
  organizationId: z.string(),
  runtimeId: z.string(),
  actorId: z.string(),
  apiKeyId: z.string().nullish(),
  requestId: z.string(),
});

const CommandShape = z.object({
  argv: z.tuple([z.string()], z.string()),
  cwd: z.string(),
  environment: z.record(z.string(), z.string()),
});

const TerminalShape = z.object({
  terminalId: z.string().optional(),
  after: z.int(),
  size: z.object({ columns: z.int(), rows: z.int() }).optional(),
  acknowledges: z.boolean(),
  command: CommandShape,
});

/** Body of a request; the verb decides which fields are present. */
export const HostRequest = z.object({
  target: TargetShape,
  start: StartRequest.optional(),
  pauseReason: PauseReason.optional(),
  endReason: z.string().optional(),
  sandboxId: z.string().optional(),
  fromRuntimeId: z.string().optional(),
  port: z.int().optional(),
  command: CommandShape.optional(),
  terminal: TerminalShape.optional(),
});
export type HostRequest = z.output<typeof HostRequest>;

/** A line of the response: progress steps, then the result. */
export const HostResponse = z.object({
  step: z.object({ step: z.string(), message: z.string() }).optional(),
  done: z.literal(true).optional(),
  error: ErrorResponse.extend({ headers: z.record(z.string(), z.string()).optional() }).optional(),
});
export type HostResponse = z.output<typeof HostResponse>;

const Statement = z.object({ host: z.string(), verb: z.string(), expires: z.number(), digest: z.string() });

const digestOf = (body: Buffer) => createHash('sha256').update(body).digest('base64url');

export function signRequest(signer: Signer, hostId: string, verb: HostVerb, body: Buffer): string {
  const statement = { host: hostId, verb, expires: Date.now() + VALID_MS, digest: digestOf(body) };
  return signer.sign('host-request', statement satisfies z.output<typeof Statement>);
}

export interface SignedFor {
  readonly hostId: string;
  readonly verb: string;
}

/**
 * Verifies a request by its header alone, before reading a body that anyone may have sent.
 * @param token of that header, if present
 * @returns a function that throws when the body is not the signed one
 */
export function requireSigned(
  signer: Signer,
  token: string | undefined,
  { hostId, verb }: SignedFor,
): (body: Buffer) => void {
  const statement = Statement.safeParse(token === undefined ? undefined : signer.open('host-request', token));
  const isMeant = statement.success && statement.data.host === hostId && statement.data.verb === verb;
  if (!isMeant) throw notSigned();
  const { expires, digest } = statement.data;
  if (expires < Date.now()) {
    throw new ApiError(
      'expired_signature_error',
      'The request was signed too long ago; set the clocks of the machines alike.',
    );
  }
  return (body) => {
    if (digestOf(body) !== digest) throw notSigned();
  };
}

const notSigned = () =>
  new ApiError('authentication_error', 'This path is for the processes of this platform.');

/** Restores the original error, so that responses do not depend on the host of the sandbox. */
export function toErrorResponse(error: unknown, requestId: string): HostResponse['error'] {
  const headers = error instanceof ApiError ? error.headers : {};
  return { ...toErrorEnvelope(error, requestId), headers: { ...headers } };
}

export function fromErrorResponse({
  type,
  detail,
  errors,
  headers,
}: NonNullable<HostResponse['error']>): ApiError {
  return new ApiError(type, detail, { ...(errors && { issues: errors }), ...(headers && { headers }) });
}
