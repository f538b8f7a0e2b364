/** Other forms of errors beside the envelope, for clients of somebody else's protocol, by where they are told. */
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { ApiError } from '../errors.ts';
import type { ErrorEnvelope, ToldError } from './error-answers.ts';

export interface ErrorForm {
  /** Where it is used: the path, without what the level of its group puts before it. */
  readonly below: string;
  /** The envelope with what is added to it, or changed in it. */
  readonly schema: z.ZodType;
  /** @param envelope what the error is told as elsewhere */
  readonly extend: (envelope: ErrorEnvelope, error: ApiError) => ToldError;
  /** Type of the event that tells of an error in a stream; without it the event has no type. */
  readonly eventType?: string;
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly errorForms: ErrorForms;
  }
}

export class ErrorForms {
  private readonly forms = new Map<string, { readonly pattern: RegExp; readonly form: ErrorForm }>();

  /** @param url where it is used, with its parameters */
  add(url: string, form: ErrorForm): void {
    const pattern = new RegExp(`^${url.replace(/:\w+/g, '[^/?]+')}(?:[/?]|$)`);
    this.forms.set(url, { pattern, form });
  }

  /** By its route; where there is none, by what was asked for. */
  find(request: FastifyRequest): ErrorForm | undefined {
    return this.findAt(request.routeOptions.url ?? request.url);
  }

  /** The form of the longest path that the URL is below. */
  findAt(url: string): ErrorForm | undefined {
    let found: ErrorForm | undefined;
    for (const { pattern, form } of this.forms.values())
      if (pattern.test(url) && form.below.length > (found?.below.length ?? -1)) found = form;
    return found;
  }
}
