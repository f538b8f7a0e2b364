/** Errors in Anthropic's form for its clients: `{"type": "error", "error": {…}}` in addition to the fields of the envelope. */
import { z } from 'zod';
import { type ErrorStatus, type ErrorType, STATUS_BY_TYPE } from '../platform/errors.ts';
import type { ErrorForm } from '../platform/http/responses/error-forms.ts';
import { ErrorResponse } from '../platform/http/responses/error-responses.ts';
import { describeIssues } from './openai-errors.ts';

const MessageErrorResponse = ErrorResponse.extend({
  type: z.literal('error'),
  error: z.object({
    type: z.string().describe("Anthropic's, such as `invalid_request_error` or `overloaded_error`"),
    message: z.string(),
    drydock_type: z
      .enum(Object.keys(STATUS_BY_TYPE) as [ErrorType, ...ErrorType[]])
      .describe('The error `type` of other operations'),
  }),
}).meta({ id: 'MessageErrorResponse' });

export const ANTHROPIC_ERRORS: ErrorForm = {
  below: '/inference/v1/messages',
  schema: MessageErrorResponse,
  eventType: 'error',
  extend: (envelope, { status, reason, issues = [] }) => {
    const type = reason === 'insufficient_quota' ? 'billing_error' : TYPES[status];
    const message = issues.length === 0 ? envelope.detail : describeIssues(issues);
    return { ...envelope, type: 'error', error: { type, message, drydock_type: envelope.type } };
  },
};

const INVALID = 'invalid_request_error';

const TYPES: Record<ErrorStatus, string> = {
  400: INVALID,
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: INVALID,
  422: INVALID,
  426: INVALID,
  429: 'rate_limit_error',
  500: 'api_error',
  502: 'api_error',
  504: 'timeout_error',
};
