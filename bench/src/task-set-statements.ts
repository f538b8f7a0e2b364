/** Equivalent hand-written statements, against which the server is measured. */

const COLUMNS = `
  SELECT s.id, s.name, s.description, s.source, s.tags, s.is_public, s.member_count, s.organization_id, o.key AS org_key,
         u.id AS user_id, u.username, u.email_address, u.first_name, u.last_name, s.created_at, s.updated_at`;

const JOINED = `JOIN organizations AS o ON o.id = s.organization_id LEFT JOIN users AS u ON u.id = s.created_by`;

export interface ListCase {
  readonly title: string;
  /** Query string of the request. */
  readonly query: string;
  /** Source and condition of the bare statements; `$1` is the organization. */
  readonly from?: string;
  readonly where: string;
  readonly order: string;
}

const OWN = 's.organization_id = $1';
const NEWEST = 's.created_at DESC, s.id';

export const LIST_CASES: readonly ListCase[] = [
  { title: 'first page', query: '', where: OWN, order: NEWEST },
  {
    title: 'filtered by source and tag',
    query: 'source=source-3&source=source-7&tags=tag-2',
    where: `${OWN} AND s.source = ANY ('{source-3,source-7}') AND s.tags && '{tag-2}'`,
    order: NEWEST,
  },
  {
    title: 'searched',
    query: 'search=round%2012',
    where: `${OWN} AND s.search_words @@ '''round'':* & ''12'':*'::tsquery`,
    order: NEWEST,
  },
  {
    title: 'sorted by source',
    query: 'sort_by=source&sort_dir=desc',
    where: OWN,
    order: 's.source DESC NULLS LAST, s.id',
  },
  { title: 'sorted by name, page 20', query: 'sort_by=name&page=20', where: OWN, order: 's.name DESC, s.id' },
  {
    title: 'contains a task',
    query: 'contains=task-42',
    where: `${OWN} AND EXISTS (SELECT FROM task_set_members AS m WHERE m.organization_id = s.organization_id
      AND m.task_set_id = s.id AND m.local_name = 'task-42' AND m.owner_key IS NULL)`,
    order: NEWEST,
  },
  {
    title: 'with public ones',
    query: 'include_public=true',
    from: `(SELECT s.* FROM task_sets AS s WHERE ${OWN} UNION ALL
      SELECT s.* FROM public_catalogue AS c JOIN task_sets AS s ON s.organization_id = c.organization_id AND s.id = c.id
       WHERE c.kind = 'task_set' AND c.organization_id <> $1) AS s`,
    where: 'true',
    order: NEWEST,
  },
];

/** Selects the page and the total. */
export function bareStatements({ from = 'task_sets AS s', where, order, query }: ListCase): string[] {
  const offset = query.includes('page=20') ? 950 : 0;
  return [
    `${COLUMNS} FROM ${from} ${JOINED} WHERE ${where} ORDER BY ${order} LIMIT 50 OFFSET ${offset}`,
    `SELECT count(*) FROM ${from} WHERE ${where}`,
  ];
}

export const DELETE_MEMBERS = 'DELETE FROM task_set_members WHERE organization_id = $1 AND task_set_id = $2';

export const INSERT_MEMBERS = `
  INSERT INTO task_set_members (organization_id, task_set_id, position, task_name, local_name, task_version, precedence, notes)
  SELECT $1, $2, position, name, name, version, precedence, notes
    FROM unnest($3::text[], $4::text[], $5::text[], $6::text[]) WITH ORDINALITY
         AS given (name, version, precedence, notes, position)`;

export const RESOLVE_MEMBERS = `
  SELECT m.task_name, m.task_version, m.notes, coalesce(v.version, a.latest_release) AS resolved_version,
         CASE WHEN a.id IS NULL THEN 'not_found' WHEN m.precedence IS NOT NULL AND v.id IS NULL THEN 'version_not_found' END
           AS unresolvable_reason
    FROM task_set_members AS m
    LEFT JOIN artifacts AS a ON a.organization_id = m.organization_id AND a.kind = 'task' AND a.name = m.local_name
    LEFT JOIN artifact_versions AS v ON v.organization_id = a.organization_id AND v.artifact_id = a.id
          AND v.precedence = m.precedence AND v.deleted_at IS NULL
   WHERE m.organization_id = $1 AND m.task_set_id = $2 ORDER BY m.position`;
