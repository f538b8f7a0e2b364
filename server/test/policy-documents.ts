/** Parses a client's policy strictly, as a token service does. */
import { z } from 'zod';
import type { PolicyDocument } from '../src/platform/object-storage/session-policy.ts';
import { ServiceError } from './service-error.ts';

/** The limit of AWS, in characters. */
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

/** Unsupported elements are refused: ignoring a condition or a denial would allow too much. */
export function parsePolicy(text: string): PolicyDocument {
  const parsed = text.length <= MAX_POLICY_LENGTH ? policyDocument.safeParse(toJson(text)) : undefined;
  if (!parsed?.success) {
    const issue = parsed?.error.issues[0];
    const reason = issue
      ? `${issue.path.join('.') || 'the document'}: ${issue.message}`
      : `it has more than ${MAX_POLICY_LENGTH} characters`;
    throw new ServiceError('MalformedPolicyDocument', `The policy is not supported: ${reason}`);
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
