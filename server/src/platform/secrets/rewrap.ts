/** Seals stored secrets with another secret key: the small wrapped keys are rewritten, and the ciphertexts stay unchanged. */
import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import type { Database } from '../db/schema.gen.ts';
import { type Trx, transaction } from '../db/transaction.ts';
import { type Vault, VaultError, type WrappedKey } from './envelope.ts';

/** A table with the columns `key_id`, `wrapped_key` and `ciphertext`. */
export interface SealedTable {
  readonly table: keyof Database;
  readonly primaryKey: readonly string[];
  /** Returns the owner for which a row was sealed, from its primary key. */
  readonly owner: (primaryKey: Readonly<Record<string, unknown>>) => string;
}

export interface Rewrapped {
  readonly rewrapped: number;
  /** Number of rows sealed with a key that the vault does not know, or damaged. */
  readonly left: number;
}

const BATCH = 500;

/** Seals every row with the vault's current key. A row records its key, so this may be interrupted anywhere and run again. */
export async function rewrapAll(db: Db, vault: Vault, tables: readonly SealedTable[]): Promise<Rewrapped> {
  let rewrapped = 0;
  let left = 0;
  for (const table of tables) {
    // The second pass covers rows that others wrote behind the first one.
    const passes = [await rewrapTable(db, vault, table), await rewrapTable(db, vault, table)];
    for (const pass of passes) rewrapped += pass.rewrapped;
    left += passes.at(-1)?.left ?? 0;
  }
  return { rewrapped, left };
}

async function rewrapTable(db: Db, vault: Vault, table: SealedTable): Promise<Rewrapped> {
  let rewrapped = 0;
  let left = 0;
  for (let last: Row | undefined; ; ) {
    const done = await transaction(db, (trx) => rewrapBatch(trx, vault, table, last));
    rewrapped += done.rewrapped;
    left += done.left;
    last = done.last;
    if (!last) return { rewrapped, left };
  }
}

type Row = WrappedKey & Readonly<Record<string, unknown>>;

/** The rows stay locked until they are written: a user may replace a secret at the same moment. */
async function rewrapBatch(trx: Trx, vault: Vault, table: SealedTable, last: Row | undefined) {
  const key = primaryKeyOf(table);
  const isBehind = last ? sql`AND (${key.names}) > (${key.valuesOf(last)})` : sql``;
  const { rows } = await sql<Row>`
    SELECT ${key.names}, key_id, wrapped_key FROM ${sql.table(table.table)} /* of every organization */
     WHERE key_id <> ${vault.keyId} ${isBehind}
     ORDER BY ${key.names} LIMIT ${BATCH} FOR NO KEY UPDATE
  `.execute(trx);
  let left = 0;
  for (const row of rows) {
    const wrapped = rewrap(vault, row, table.owner(row));
    if (!wrapped) left++;
    else
      await sql`
        UPDATE ${sql.table(table.table)} /* of every organization */
           SET key_id = ${wrapped.key_id}, wrapped_key = ${wrapped.wrapped_key}
         WHERE (${key.names}) = (${key.valuesOf(row)})
      `.execute(trx);
  }
  return { rewrapped: rows.length - left, left, last: rows.length === BATCH ? rows.at(-1) : undefined };
}

function primaryKeyOf({ primaryKey }: SealedTable) {
  return {
    names: sql.join(primaryKey.map((name) => sql.ref(name))),
    valuesOf: (row: Row) => sql.join(primaryKey.map((name) => sql`${row[name]}`)),
  };
}

function rewrap(vault: Vault, row: Row, owner: string): WrappedKey | undefined {
  try {
    return vault.rewrap(row, owner);
  } catch (error) {
    if (error instanceof VaultError) return undefined;
    throw error;
  }
}
