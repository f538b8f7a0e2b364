/** Loads everything that a request to a port needs in one statement, because a page may consist of a hundred requests. */
import { sql } from 'kysely';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError } from '../../platform/errors.ts';
import { PLACE_COLUMNS, PLACE_JOIN, type PlaceRow, toPlace } from '../exec/running.ts';
import { isNamed, type OwnedRow, toOwnTarget } from '../lookup.ts';
import type { SandboxPlace, Target } from '../operator.ts';
import { explainRefusal } from '../transitions.ts';

export interface ReachedPort {
  /** Set if the caller is the owner. */
  readonly target: Target;
  readonly port: number;
  readonly place: SandboxPlace;
}

type PortRow = OwnedRow & PlaceRow & { readonly is_exposed: boolean };

export async function getReachedPort(
  db: Db,
  scope: WorkspaceScope,
  given: string,
  port: number,
): Promise<ReachedPort> {
  const { rows } = await sql<PortRow>`
    SELECT r.id, r.created_by, ${PLACE_COLUMNS},
      coalesce(r.config #> '{sandbox,exposed_ports}' @> to_jsonb(${port}::integer), false) AS is_exposed
    FROM runtimes AS r ${PLACE_JOIN}
    WHERE ${isNamed(scope, given)}`.execute(db);
  const [row] = rows;
  const target = toOwnTarget(scope, given, row);
  if (!row?.is_exposed) {
    const detail = `The port ${port} is not exposed; add it to sandbox.exposed_ports in the configuration of the runtime.`;
    throw new ApiError('not_found_error', detail);
  }
  const place = toPlace(row);
  if (!place) throw await explainRefusal(db, target, 'connect');
  return { target, port, place };
}
