/** Evaluates session policies. */
import type { PolicyDocument, PolicyStatement } from '../../../platform/object-storage/session-policy.ts';

/** Actions that the gateway checks. */
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

/** An object, the bucket with the requested prefix, or any resource. */
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

type Matcher = (text: string) => boolean;

/** Patterns have `*` for any text and `?` for one character. Matching backtracks no further than to the last star. */
export function toMatcher(pattern: string): Matcher {
  const wild = pattern.search(/[*?]/);
  if (wild < 0) return (text) => text === pattern;
  if (wild === pattern.length - 1 && pattern.endsWith('*')) {
    const start = pattern.slice(0, -1);
    return (text) => text.startsWith(start);
  }
  return (text) => matches(pattern, text);
}

function matches(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let starAt = 0;
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = p;
      starAt = t;
      p += 1;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) {
      p += 1;
      t += 1;
    } else if (star >= 0) {
      // The last star takes one more character; earlier stars already took the shortest match.
      starAt += 1;
      t = starAt;
      p = star + 1;
    } else {
      return false;
    }
  }
  while (pattern[p] === '*') p += 1;
  return p === pattern.length;
}
