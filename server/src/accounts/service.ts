/** What other domains may know of accounts: who made something. */
import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { Id } from '../platform/http/fields.ts';

export const UserIdentity = z
  .object({ id: Id, username: z.string(), email: z.string(), full_name: z.string().nullable() })
  .meta({ id: 'UserIdentity' });

export type UserIdentityOf = z.output<typeof UserIdentity>;

/** Of a row of users, as one value. @param alias of that row */
export function identityOf(alias: string): RawBuilder<UserIdentityOf> {
  const user = (column: string) => sql.ref(`${alias}.${column}`);
  const fullName = sql`nullif(concat_ws(' ', ${user('first_name')}, ${user('last_name')}), '')`;
  return sql<UserIdentityOf>`jsonb_build_object('id', ${user('id')}, 'username', ${user('username')},
    'email', ${user('email_address')}, 'full_name', ${fullName})`;
}
