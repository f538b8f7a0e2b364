-- oldest program: 0027
-- The journey of a capability: the runs of a workspace that measured each of its versions.

CREATE INDEX evaluations_capability ON evaluations
  (organization_id, workspace_id, (request -> 'capability' ->> 'name'), (request -> 'capability' ->> 'version'), created_at DESC, id DESC)
  WHERE request -> 'capability' ->> 'name' IS NOT NULL AND optimization_job_id IS NULL AND airt_finding_id IS NULL;

CREATE INDEX airt_assessments_capability ON airt_assessments
  (organization_id, workspace_id, (execution -> 'agent' -> 'capability' ->> 'versionId'), created_at DESC, id DESC)
  WHERE execution -> 'agent' -> 'capability' ->> 'versionId' IS NOT NULL;

CREATE INDEX airt_findings_jailbreaks ON airt_findings (organization_id, assessment_id, finding_status) WHERE jailbreak_trials > 0;

CREATE INDEX gate_checks_version ON gate_checks (organization_id, workspace_id, version_id, created_at DESC, id DESC)
  WHERE version_id IS NOT NULL;
