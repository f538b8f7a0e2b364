-- oldest program: 0025
-- Lineage: what was made from what. A version, a session or a job is a node; an edge leads from it to something that it was made from.
-- docs/decisions/lineage.md explains kinds and relations.

-- Nodes hold no content: titles and texts stay where they are under visibility.
CREATE TABLE lineage_nodes (
  organization_id uuid NOT NULL REFERENCES organizations,
  id              uuid NOT NULL, -- of the session or job; of the version for an artifact
  kind            text NOT NULL CHECK (kind IN ('dataset', 'model', 'capability', 'task', 'session', 'evaluation', 'finding', 'review',
                                                'assessment', 'optimization_job', 'training_job', 'gate_check')),
  workspace_id    uuid, -- null for an artifact, which belongs to the organization
  name            text COLLATE "C", -- of an artifact, with its organization where that is another
  version         text,
  owner_id        uuid, -- the organization that published the artifact, where that is another
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX lineage_nodes_workspace ON lineage_nodes (organization_id, workspace_id) WHERE workspace_id IS NOT NULL;

CREATE TABLE lineage_edges (
  organization_id uuid NOT NULL,
  child_id        uuid NOT NULL,
  parent_id       uuid NOT NULL,
  relation        text NOT NULL,
  -- The part of the dataset: of the parent, and for the relation `row` of the child. '' is all splits, and null all rows.
  split           text NOT NULL DEFAULT '',
  rows            integer[],
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, child_id, parent_id, relation, split)
);
CREATE INDEX lineage_edges_parent ON lineage_edges (organization_id, parent_id, child_id);

-- The nearest job or dataset through which the task or row shaped the model or capability under test: kind, id, name, version.
ALTER TABLE evaluation_tasks ADD COLUMN contaminated_by jsonb;
ALTER TABLE evaluation_rows ADD COLUMN contaminated_by jsonb;

-- What existing rows tell. Versions that are stored by name are found in the own organization only. Rows of datasets that were made from
-- sessions lie in files, so these datasets have no edges to their sessions.
INSERT INTO lineage_nodes (organization_id, id, kind, workspace_id, created_at)
SELECT organization_id, id, 'evaluation', workspace_id, created_at FROM evaluations
 WHERE optimization_job_id IS NULL AND airt_finding_id IS NULL
UNION ALL SELECT organization_id, id, 'optimization_job', workspace_id, created_at FROM optimization_jobs
UNION ALL SELECT organization_id, id, 'training_job', workspace_id, created_at FROM training_jobs
UNION ALL SELECT organization_id, id, 'assessment', workspace_id, created_at FROM airt_assessments
UNION ALL SELECT organization_id, id, 'finding', workspace_id, created_at FROM airt_findings
UNION ALL SELECT organization_id, id, 'review', workspace_id, updated_at FROM airt_finding_reviews;

-- Every attempt of a sample, with the task or row that it ran on.
CREATE TEMPORARY TABLE sample_sessions ON COMMIT DROP AS
SELECT i.organization_id, a.session_id, e.workspace_id, i.row_index, t.version_id AS task_id, d.id AS dataset_id,
       coalesce(e.request -> 'dataset' ->> 'split', '') AS split, c.id AS capability_id,
       coalesce(e.optimization_job_id, e.airt_finding_id, e.id) AS run_id
  FROM evaluation_items AS i
  JOIN evaluations AS e ON e.organization_id = i.organization_id AND e.id = i.evaluation_id
 CROSS JOIN LATERAL (
    SELECT i.session_id WHERE i.session_id IS NOT NULL
    UNION SELECT p.session_id FROM evaluation_item_attempts AS p
           WHERE p.organization_id = i.organization_id AND p.item_id = i.id AND p.session_id IS NOT NULL) AS a
  LEFT JOIN evaluation_tasks AS t ON t.organization_id = i.organization_id AND t.evaluation_id = i.evaluation_id
                                 AND t.position = i.source_position AND i.row_index IS NULL
  LEFT JOIN LATERAL (
    SELECT v.id FROM artifacts AS f JOIN artifact_versions AS v ON v.organization_id = f.organization_id AND v.artifact_id = f.id
     WHERE f.organization_id = i.organization_id AND f.kind = 'dataset' AND f.name = e.request -> 'dataset' ->> 'name'
       AND v.version = e.request -> 'dataset' ->> 'version') AS d ON true
  LEFT JOIN LATERAL (
    SELECT v.id FROM artifacts AS f JOIN artifact_versions AS v ON v.organization_id = f.organization_id AND v.artifact_id = f.id
     WHERE f.organization_id = i.organization_id AND f.kind = 'capability' AND f.name = e.request -> 'capability' ->> 'name'
       AND v.version = e.request -> 'capability' ->> 'version') AS c ON true;

INSERT INTO lineage_nodes (organization_id, id, kind, workspace_id)
SELECT DISTINCT organization_id, session_id, 'session', workspace_id FROM sample_sessions ON CONFLICT DO NOTHING;

INSERT INTO lineage_edges (organization_id, child_id, parent_id, relation, split, rows)
SELECT organization_id, session_id, task_id, 'task', '', NULL::integer[] FROM sample_sessions WHERE task_id IS NOT NULL
UNION ALL SELECT organization_id, session_id, dataset_id, 'dataset', split, ARRAY[row_index] FROM sample_sessions
           WHERE dataset_id IS NOT NULL AND row_index IS NOT NULL
UNION ALL SELECT organization_id, session_id, capability_id, 'capability', '', NULL FROM sample_sessions WHERE capability_id IS NOT NULL
UNION ALL SELECT organization_id, session_id, run_id, 'run', '', NULL FROM sample_sessions
ON CONFLICT DO NOTHING;

-- Optimization: the training and validation sets shape, and the holdout does not.
INSERT INTO lineage_edges (organization_id, child_id, parent_id, relation)
SELECT organization_id, id, (request -> 'capability' ->> 'versionId')::uuid, 'base' FROM optimization_jobs
UNION ALL SELECT organization_id, id, retry_of, 'retry' FROM optimization_jobs WHERE retry_of IS NOT NULL
UNION ALL SELECT DISTINCT organization_id, job_id, (source ->> 'versionId')::uuid, split FROM optimization_examples
           WHERE split IN ('train', 'validation') AND row_index IS NULL
UNION ALL SELECT p.organization_id, v.id, p.job_id, 'promoted' FROM optimization_promotions AS p
            JOIN artifacts AS f ON f.organization_id = p.organization_id AND f.kind = 'capability' AND f.name = p.capability
            JOIN artifact_versions AS v ON v.organization_id = f.organization_id AND v.artifact_id = f.id AND v.version = p.version
ON CONFLICT DO NOTHING;

INSERT INTO lineage_edges (organization_id, child_id, parent_id, relation, split, rows)
SELECT x.organization_id, x.job_id, v.id, x.split, coalesce(r.ref ->> 'split', ''), array_agg(x.row_index ORDER BY x.row_index)
  FROM optimization_examples AS x
  JOIN optimization_jobs AS j ON j.organization_id = x.organization_id AND j.id = x.job_id
 CROSS JOIN LATERAL (SELECT j.request -> CASE x.split WHEN 'train' THEN 'dataset_ref' ELSE 'val_dataset_ref' END AS ref) AS r
  JOIN artifacts AS f ON f.organization_id = x.organization_id AND f.kind = 'dataset' AND f.name = r.ref ->> 'name'
  JOIN artifact_versions AS v ON v.organization_id = f.organization_id AND v.artifact_id = f.id AND v.version = r.ref ->> 'version'
 WHERE x.split IN ('train', 'validation') AND x.row_index IS NOT NULL
 GROUP BY x.organization_id, x.job_id, v.id, x.split, r.ref
ON CONFLICT DO NOTHING;

-- Training: a dataset of the role `eval` measures, and does not shape.
INSERT INTO lineage_edges (organization_id, child_id, parent_id, relation, split)
SELECT organization_id, id, (request -> 'capability' ->> 'versionId')::uuid, 'capability', '' FROM training_jobs
UNION ALL SELECT organization_id, id, (request -> 'base' ->> 'versionId')::uuid, 'base', '' FROM training_jobs
           WHERE request -> 'base' ->> 'versionId' IS NOT NULL
UNION ALL SELECT organization_id, id, retry_of, 'retry', '' FROM training_jobs WHERE retry_of IS NOT NULL
UNION ALL SELECT j.organization_id, j.id, (d ->> 'versionId')::uuid, CASE d ->> 'role' WHEN 'eval' THEN 'measured' ELSE 'train' END, d ->> 'split'
            FROM training_jobs AS j CROSS JOIN LATERAL jsonb_array_elements(j.request -> 'datasets') AS d
UNION ALL SELECT p.organization_id, v.id, p.job_id, 'published', '' FROM training_publications AS p
            JOIN artifacts AS f ON f.organization_id = p.organization_id AND f.kind = 'model' AND f.name = p.model
            JOIN artifact_versions AS v ON v.organization_id = f.organization_id AND v.artifact_id = f.id AND v.version = p.version
           WHERE p.published_at IS NOT NULL
ON CONFLICT DO NOTHING;

INSERT INTO lineage_edges (organization_id, child_id, parent_id, relation)
SELECT organization_id, id, assessment_id, 'run' FROM airt_findings
UNION ALL SELECT organization_id, id, finding_id, 'review' FROM airt_finding_reviews
ON CONFLICT DO NOTHING;

-- The versions that the edges above name, which are of any organization.
INSERT INTO lineage_nodes (organization_id, id, kind, name, version, owner_id, created_at)
SELECT DISTINCT e.organization_id, v.id, f.kind, CASE WHEN v.organization_id = e.organization_id THEN f.name ELSE o.key || '/' || f.name END,
       v.version, nullif(v.organization_id, e.organization_id), v.created_at
  FROM (SELECT organization_id, parent_id AS id FROM lineage_edges UNION SELECT organization_id, child_id FROM lineage_edges) AS e
  JOIN artifact_versions AS v ON v.id = e.id
  JOIN artifacts AS f ON f.organization_id = v.organization_id AND f.id = v.artifact_id
  JOIN organizations AS o ON o.id = v.organization_id
ON CONFLICT DO NOTHING;
