/**
 * The responses that an attack was given, numbered in the order in which it asked. An attack is a function of them, so a worker that takes
 * its finding over runs it from the start: stored responses are read, and only calls that are not stored are made.
 */
import { sql } from 'kysely';
import { toStorable, toStorableText } from '../../platform/storable-text.ts';
import type { FindingContext } from './context.ts';

export type CallRole = 'attacker' | 'target' | 'judge';

export interface CallResult {
  /** null where the call failed. */
  readonly response: string | null;
  readonly error: string | null;
  readonly details: unknown;
}

/** What a call returns besides its result. */
export interface MadeCall extends CallResult {
  readonly costUsd: number;
}

export class Journal {
  readonly #context: FindingContext;
  readonly #stored: ReadonlyMap<number, CallResult & { readonly role: CallRole }>;
  readonly #beforeCall: () => Promise<void>;
  #seq = 0;

  private constructor(
    context: FindingContext,
    beforeCall: () => Promise<void>,
    stored: readonly (CallResult & { readonly seq: number; readonly role: CallRole })[],
  ) {
    this.#context = context;
    this.#beforeCall = beforeCall;
    this.#stored = new Map(stored.map((call) => [call.seq, call]));
  }

  /** @param beforeCall throws where no more calls may be made; stored responses are read all the same */
  static async read(context: FindingContext, beforeCall: () => Promise<void>): Promise<Journal> {
    const { rows } = await sql<CallResult & { seq: number; role: CallRole }>`
      SELECT seq, role, response, error, details FROM airt_calls
       WHERE organization_id = ${context.organizationId} AND finding_id = ${context.finding.id}`.execute(
      context.tools.db,
    );
    return new Journal(context, beforeCall, rows);
  }

  /** The number of the next call, which names it in other tables. */
  get nextSeq(): number {
    return this.#seq;
  }

  /** @param make is called where the result is not stored yet. What it throws is not stored: the call is made again. */
  async call(role: CallRole, make: () => Promise<MadeCall>): Promise<CallResult> {
    const seq = this.#seq++;
    const stored = this.#stored.get(seq);
    if (stored) {
      if (stored.role !== role)
        throw new Error(
          `call ${seq} is stored as one to the ${stored.role}, and the attack asks the ${role}`,
        );
      return stored;
    }
    await this.#beforeCall();
    const { costUsd, response, error, details } = await make();
    // The first run has to see the same texts as a replay, which reads the stored ones.
    const result = {
      response: response === null ? null : toStorableText(response),
      error: error === null ? null : toStorableText(error),
      details: toStorable(details),
    };
    await this.#save(seq, role, result, costUsd);
    return result;
  }

  async #save(seq: number, role: CallRole, result: CallResult, costUsd: number): Promise<void> {
    const { row, organizationId, finding } = this.#context;
    const details = result.details === null ? null : JSON.stringify(result.details);
    await row.save(async (trx) => {
      await sql`
        INSERT INTO airt_calls (organization_id, finding_id, seq, role, response, error, details)
        VALUES (${organizationId}, ${finding.id}, ${seq}, ${role}, ${result.response}, ${result.error}, ${details}::jsonb)`.execute(
        trx,
      );
      await sql`
        UPDATE airt_findings SET cost_usd = cost_usd + ${costUsd}, model_calls = model_calls + 1
         WHERE organization_id = ${organizationId} AND id = ${finding.id}`.execute(trx);
    });
  }
}
