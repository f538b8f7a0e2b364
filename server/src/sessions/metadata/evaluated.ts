/** What an evaluation found is kept as long as the evaluation is. */
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';

/** Of a session that would go, or leave its group and could go then. @param advice what can be done instead */
export async function refuseEvaluated(
  trx: Trx,
  { organizationId }: WorkspaceScope,
  groupId: string,
  advice: string,
): Promise<void> {
  const { kind } = await trx
    .selectFrom('session_groups')
    .select('kind')
    .where('organization_id', '=', organizationId)
    .where('id', '=', groupId)
    .executeTakeFirstOrThrow();
  if (kind !== 'evaluation_item') return;
  throw new ApiError('conflict_error', `This session belongs to an evaluation and stays with it; ${advice}.`);
}
