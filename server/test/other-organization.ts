/** An organization beside `main`, for tests of the isolation between the two. */
import { createOrganization } from '../src/accounts/organizations/create.ts';
import { transaction } from '../src/platform/db/transaction.ts';
import type { Person, TestServer } from './harness.ts';

export async function addOrganization(server: TestServer, owner: Person, key: string): Promise<string> {
  const actor = { userId: owner.id, apiKeyId: null, requestId: null };
  const request = { name: key, key };
  return (await transaction(server.db, (trx) => createOrganization(trx, actor, request))).organizationId;
}

export async function findOrganizationId(server: TestServer, key: string): Promise<string> {
  const query = server.db.selectFrom('organizations').select('id').where('key', '=', key);
  return (await query.executeTakeFirstOrThrow()).id;
}
