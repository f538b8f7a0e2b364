/** Errors in OpenAI's form, in addition to the envelope: its clients show them and base retries on them. */
import { z } from 'zod';
import type { ApiError, ErrorStatus, Issue } from '../platform/errors.ts';
import type { ErrorForm } from '../platform/http/responses/error-forms.ts';
import { type ErrorEnvelope, ErrorResponse } from '../platform/http/responses/error-responses.ts';

const OpenAiError = z.object({
  message: z.string(),
  type: z
    .string()
    .describe("Of OpenAI's: such as `invalid_request_error`, `rate_limit_error`, `server_error`"),
  code: z.string().nullable().describe('Such as `model_not_found`, `insufficient_quota`'),
  param: z.string().nullable().describe('Where the mistake is, where it is one field'),
});

const InferenceErrorResponse = ErrorResponse.extend({ error: OpenAiError }).meta({
  id: 'InferenceErrorResponse',
});

export const OPENAI_ERRORS: ErrorForm = {
  below: '/inference/v1',
  schema: InferenceErrorResponse,
  extend: (envelope, error) => ({ ...envelope, error: toOpenAi(envelope, error) }),
};

function toOpenAi(envelope: ErrorEnvelope, { status, reason, issues = [] }: ApiError) {
  const [type, code] = WORDS[status];
  const isQuota = reason === QUOTA;
  return {
    message: issues.length === 0 ? envelope.detail : describeIssues(issues),
    type: isQuota ? QUOTA : type,
    code: reason ?? codeOf(issues) ?? code,
    param: issues.length === 1 && issues[0] ? fieldOf(issues[0]) : null,
  };
}

const MAX_DESCRIBED_ISSUES = 5;
const QUOTA = 'insufficient_quota';

const INVALID = 'invalid_request_error';

/** Type and default code of each status. */
const WORDS: Record<ErrorStatus, readonly [type: string, code: string | null]> = {
  400: [INVALID, null],
  401: [INVALID, 'invalid_api_key'],
  403: ['permission_error', 'permission_denied'],
  404: [INVALID, 'not_found'],
  409: [INVALID, 'conflict'],
  422: [INVALID, 'invalid_value'],
  426: [INVALID, 'upgrade_required'],
  429: ['rate_limit_error', 'rate_limit_exceeded'],
  500: ['server_error', null],
  502: ['server_error', 'bad_gateway'],
  504: ['server_error', 'timeout'],
};

const codeOf = ([first]: readonly Issue[]) =>
  first?.type === 'missing' ? 'missing_required_parameter' : undefined;

/** Joins the first issues into one text, each with its field. */
export const describeIssues = (issues: readonly Issue[]) =>
  issues.slice(0, MAX_DESCRIBED_ISSUES).map(describeIssue).join(' ');

const describeIssue = (issue: Issue) => `"${fieldOf(issue)}": ${endSentence(issue.msg)}`;

const endSentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Formats a location as OpenAI does: `messages[0].role`. */
function fieldOf({ loc: [, ...steps] }: Issue): string {
  const [first = 'body', ...rest] = steps;
  return rest.reduce<string>(
    (field, step) => field + (typeof step === 'number' ? `[${step}]` : `.${step}`),
    String(first),
  );
}
