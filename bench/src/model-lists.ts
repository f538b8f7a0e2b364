/** The model lists that are measured, each with equivalent hand-written statements. */

export interface ModelList {
  readonly title: string;
  /** Query string of the request. */
  readonly query: string;
  /** Source and condition of the bare statements; `$1` is the organization, `$2` the user. */
  readonly from?: string;
  readonly where: string;
  readonly order: string;
  readonly offset?: number;
}

const OWN = "a.organization_id = $1 AND a.kind = 'model' AND a.version_count > 0 AND $2::uuid IS NOT NULL";
const NEWEST = 'a.latest_created_at DESC, a.latest_id';
const WITH_PUBLIC = `(
  SELECT a.*, 'main' AS org_key FROM artifacts AS a WHERE ${OWN}
   UNION ALL
  SELECT a.*, o.key FROM public_catalogue AS c
    JOIN artifacts AS a ON a.organization_id = c.organization_id AND a.id = c.id
    JOIN organizations AS o ON o.id = c.organization_id
   WHERE c.kind = 'model' AND c.organization_id <> $1) AS a`;

export const MODEL_LISTS: readonly ModelList[] = [
  { title: 'first page', query: '', where: OWN, order: NEWEST },
  {
    title: 'filtered by tag, license and framework',
    query: 'tags=tag-2&tags=tag-3&license=license-1&framework=gguf',
    where: `${OWN} AND a.tags && '{tag-2,tag-3}' AND a.license = 'license-1' AND a.framework = 'gguf'`,
    order: NEWEST,
  },
  {
    title: 'searched',
    query: 'search=ROUND%2042',
    where: `${OWN} AND (a.name LIKE '%round 42%' OR a.search_text LIKE '%round 42%')`,
    order: NEWEST,
  },
  { title: 'by exact name', query: 'name=model-77', where: `${OWN} AND a.name = 'model-77'`, order: NEWEST },
  { title: 'sorted by name', query: 'sort_by=name&sort_dir=asc', where: OWN, order: 'a.name, a.latest_id' },
  {
    title: 'sorted by size, page 20',
    query: 'sort_by=file_size_bytes&page=20',
    where: OWN,
    order: 'a.file_size_bytes DESC, a.latest_id',
    offset: 950,
  },
  { title: 'mine', query: 'mine=true', where: `${OWN} AND a.created_by = $2`, order: NEWEST },
  {
    title: 'with public ones',
    query: 'include_public=true',
    from: WITH_PUBLIC,
    where: 'true',
    order: NEWEST,
  },
  {
    title: 'with public ones, searched, by name',
    query: 'include_public=true&search=other-7&sort_by=name&sort_dir=asc',
    from: WITH_PUBLIC,
    where: "(a.org_key || '/' || a.name LIKE '%other-7%' OR a.search_text LIKE '%other-7%')",
    order: `(a.org_key || '/' || a.name) COLLATE "C", a.latest_id`,
  },
];

/** Selects the page with all its fields, and the total. */
export function bareStatements({ from = 'artifacts AS a', where, order, offset = 0 }: ModelList): string[] {
  return [
    `SELECT a.latest_id AS id, a.name, a.latest_version, a.summary, a.tags, a.license, a.task_categories, a.framework,
            a.size_category, a.is_public, a.latest_created_at, a.updated_at, a.version_count, v.manifest,
            v.download_count + (SELECT count(*) FROM artifact_downloads AS d WHERE d.organization_id = v.organization_id
                                   AND d.version_id = v.id AND NOT d.is_counted) AS download_count,
            ARRAY(SELECT l.alias FROM artifact_aliases AS l
                   WHERE l.organization_id = a.organization_id AND l.artifact_id = a.id ORDER BY l.alias) AS aliases
       FROM (SELECT a.* FROM ${from} WHERE ${where} ORDER BY ${order} LIMIT 50 OFFSET ${offset}) AS a
       JOIN artifact_versions AS v ON v.organization_id = a.organization_id AND v.id = a.latest_id
      ORDER BY ${order}`,
    `SELECT count(*) AS total FROM ${from} WHERE ${where}`,
  ];
}
