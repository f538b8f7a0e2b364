/** Error forms of other protocols in addition to the envelope, by path. */
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { ApiError } from '../../errors.ts';
import type { ErrorBody, ErrorEnvelope } from './error-responses.ts';

export interface ErrorForm {
  /** Path for which the form is used, without the prefix of its group's level. */
  readonly below: string;
  /** Schema of the envelope with additions or changes. */
  readonly schema: z.ZodType;
  /** @param envelope the standard form of the error */
  readonly extend: (envelope: ErrorEnvelope, error: ApiError) => ErrorBody;
  /** Type of the event that reports an error in a stream; undefined for events without a type. */
  readonly eventType?: string;
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly errorForms: ErrorForms;
  }
}

export class ErrorForms {
  private readonly forms = new Map<string, { readonly pattern: RegExp; readonly form: ErrorForm }>();

  /** @param url path for which the form is used, with its parameters */
  add(url: string, form: ErrorForm): void {
    const pattern = new RegExp(`^${url.replace(/:\w+/g, '[^/?]+')}(?:[/?]|$)`);
    this.forms.set(url, { pattern, form });
  }

  /** Looks up the form by the request's route, or by its URL when no route matched. */
  find(request: FastifyRequest): ErrorForm | undefined {
    return this.findAt(request.routeOptions.url ?? request.url);
  }

  /** Returns the form of the longest path that is a prefix of the URL. */
  findAt(url: string): ErrorForm | undefined {
    let found: ErrorForm | undefined;
    for (const { pattern, form } of this.forms.values())
      if (pattern.test(url) && form.below.length > (found?.below.length ?? -1)) found = form;
    return found;
  }
}
