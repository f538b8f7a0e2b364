/** What a session policy allows; and the strict reading of one that comes from outside. */
import { z } from 'zod';
import type { PolicyDocument, PolicyStatement } from '../../platform/object-storage/session-policy.ts';
import { S3Error } from './s3-error.ts';
import { toMatcher } from './wildcards.ts';

/** What the gateway asks for. */
export type S3Action =
  | 's3:AbortMultipartUpload'
  | 's3:CreateBucket'
  | 's3:DeleteObject'
  | 's3:GetBucketLocation'
  | 's3:GetObject'
  | 's3:ListAllMyBuckets'
  | 's3:ListBucket'
  | 's3:ListBucketMultipartUploads'
  | 's3:ListMultipartUploadParts'
  | 's3:PutObject';

/** An object, the bucket with the prefix that is asked for, or whatever it is allowed on. */
export type Target = { readonly key: string } | { readonly prefix: string | undefined } | 'anything';

export type Permits = (action: S3Action, on: Target) => boolean;

export function compilePolicy(policy: PolicyDocument, bucket: string): Permits {
  const arn = `arn:aws:s3:::${bucket}`;
  const statements = policy.Statement.map(compileStatement);
  return (action, on) => {
    if (on === 'anything') return statements.some(({ names }) => names(action.toLowerCase()));
    const resource = 'key' in on ? `${arn}/${on.key}` : arn;
    const prefix = 'key' in on ? undefined : on.prefix;
    return statements.some(({ allows }) => allows(action.toLowerCase(), resource, prefix));
  };
}

function compileStatement({ Action, Resource, Condition }: PolicyStatement) {
  const actions = Action.map((pattern) => toMatcher(pattern.toLowerCase()));
  const resources = Resource.map(toMatcher);
  const like = Condition?.StringLike?.['s3:prefix'].map(toMatcher);
  const equal = Condition?.StringEquals?.['s3:prefix'];
  const names = (action: string) => actions.some((matches) => matches(action));
  const allows = (action: string, resource: string, prefix: string | undefined) =>
    names(action) &&
    resources.some((matches) => matches(resource)) &&
    (!like || (prefix !== undefined && like.some((matches) => matches(prefix)))) &&
    (!equal || (prefix !== undefined && equal.includes(prefix)));
  return { names, allows };
}

/** As much as AWS takes, in characters. */
const MAX_POLICY_LENGTH = 2048;

const oneOrMore = (item: z.ZodString) => z.union([item.transform((value) => [value]), z.array(item).min(1)]);

const prefixes = z.strictObject({ 's3:prefix': oneOrMore(z.string().regex(/^(?!.*\$\{)/s)) });

const policyDocument = z.strictObject({
  Version: z.literal('2012-10-17'),
  Id: z.string().optional(),
  Statement: z
    .array(
      z.strictObject({
        Sid: z.string().optional(),
        Effect: z.literal('Allow'),
        Action: oneOrMore(z.string().regex(/^(\*|s3:[a-z*?]+)$/i)),
        Resource: oneOrMore(z.string().regex(/^(\*|arn:aws:s3:::(?!.*\$\{).+)$/s)),
        Condition: z
          .strictObject({ StringLike: prefixes.optional(), StringEquals: prefixes.optional() })
          .refine(({ StringLike, StringEquals }) => StringLike !== undefined || StringEquals !== undefined)
          .optional(),
      }),
    )
    .min(1),
});

/** What is not understood is refused: a condition or a denial that goes unheard would allow too much. */
export function parsePolicy(text: string): PolicyDocument {
  const parsed = text.length <= MAX_POLICY_LENGTH ? policyDocument.safeParse(toJson(text)) : undefined;
  if (!parsed?.success) {
    const issue = parsed?.error.issues[0];
    const reason = issue
      ? `${issue.path.join('.') || 'the document'}: ${issue.message}`
      : `it has more than ${MAX_POLICY_LENGTH} characters`;
    throw new S3Error('MalformedPolicyDocument', `The policy is not supported: ${reason}`);
  }
  return {
    Version: parsed.data.Version,
    Statement: parsed.data.Statement.map(({ Effect, Action, Resource, Condition }) => ({
      Effect,
      Action,
      Resource,
      Condition,
    })),
  };
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
