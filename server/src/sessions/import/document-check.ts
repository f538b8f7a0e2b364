/** Validates a large document part by part: other requests are served in between, and reading stops after enough errors. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import { ApiError, type Issue, invalidValues } from '../../platform/errors.ts';
import { validate } from '../../platform/http/requests/validation.ts';

const MAX_NAMED = 100;
const TURN_MS = 20;

export type Loc = readonly (string | number)[];

export class DocumentCheck {
  readonly #issues: Issue[] = [];
  #begun = performance.now();

  /**
   * @param loc path of the part in the document
   * @returns undefined when the part is invalid
   */
  read<Schema extends z.ZodType>(schema: Schema, part: unknown, loc: Loc): z.output<Schema> | undefined {
    try {
      return validate({ body: schema }, { body: part }).body as z.output<Schema>;
    } catch (error) {
      if (!(error instanceof ApiError) || !error.issues) throw error;
      for (const issue of error.issues) this.add({ ...issue, loc: [...loc, ...issue.loc.slice(1)] });
      return undefined;
    }
  }

  add(issue: Issue): void {
    const { loc } = issue;
    this.#issues.push({ ...issue, loc: ['body', ...loc] });
    if (this.#issues.length >= MAX_NAMED) this.finish();
  }

  /** Lets other work run between two parts. */
  async pause(): Promise<void> {
    if (performance.now() - this.#begun < TURN_MS) return;
    await nextTurn();
    this.#begun = performance.now();
  }

  /** Throws an error with everything that was found. */
  finish(): void {
    if (this.#issues.length > 0) throw invalidValues(this.#issues);
  }
}
