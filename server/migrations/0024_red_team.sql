-- oldest program: 0023
-- Red-team assessments: attacks on a target for goals. Each attack and goal is a finding, which has trials. People triage findings, and
-- every edit is kept. docs/decisions/red-team.md explains the words.

CREATE TABLE airt_assessments (
  organization_id    uuid NOT NULL REFERENCES organizations,
  id                 uuid NOT NULL,
  workspace_id       uuid NOT NULL,
  project_id         uuid NOT NULL, -- the id stays when the project is deleted
  created_by         uuid NOT NULL REFERENCES users,
  name               text NOT NULL,
  description        text,
  status             text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'running', 'completed', 'failed')),
  -- As they were given.
  attack_manifest    jsonb,
  attacker_config    jsonb,
  target_config      jsonb,
  attacker_model     text COLLATE "C",
  judge_model        text COLLATE "C",
  target_model       text COLLATE "C",
  workflow_run_id    text,
  workflow_script    text,
  runtime_id         uuid,
  session_id         uuid,
  -- What runs it: the server, or a client that reports spans. null while it is pending.
  run_by             text CHECK (run_by IN ('server', 'client')),
  -- The target and the models as `start` resolved them; null for a client's run.
  execution          jsonb,
  retest_of          uuid, -- the finding that it tries again
  -- Figures of the run. Triage does not change them.
  overall_asr        double precision,
  risk_score         double precision,
  analytics_snapshot jsonb,
  stop_reason        text,
  error              text,
  -- The arrival of the newest span that the findings of a client's run were made from.
  spans_until        timestamptz,
  created_at         timestamptz(3) NOT NULL DEFAULT now(),
  updated_at         timestamptz(3) NOT NULL DEFAULT now(),
  started_at         timestamptz(3),
  completed_at       timestamptz(3),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT airt_assessments_workspace_fkey FOREIGN KEY (organization_id, workspace_id)
    REFERENCES workspaces (organization_id, id)
);
CREATE INDEX airt_assessments_created_at ON airt_assessments (organization_id, workspace_id, created_at DESC, id DESC);
CREATE INDEX airt_assessments_project ON airt_assessments (organization_id, project_id, created_at DESC, id DESC);
CREATE INDEX airt_assessments_retest ON airt_assessments (organization_id, retest_of, created_at DESC) WHERE retest_of IS NOT NULL;
-- Client runs whose late spans still count.
CREATE INDEX airt_assessments_late_spans ON airt_assessments (completed_at) WHERE run_by = 'client' AND completed_at IS NOT NULL;

-- The job of an assessment that the server runs. It has the id of the assessment.
CREATE TABLE airt_runs (
  organization_id     uuid NOT NULL,
  id                  uuid NOT NULL,
  status              text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'completed', 'failed', 'cancelled')),
  attempt             integer NOT NULL DEFAULT 0,
  checkpoint          jsonb,
  error               text,
  cancel_requested_at timestamptz(3),
  started_at          timestamptz(3),
  completed_at        timestamptz(3),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT airt_runs_assessment_fkey FOREIGN KEY (organization_id, id)
    REFERENCES airt_assessments (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX airt_runs_open ON airt_runs (organization_id, id) WHERE status IN ('queued', 'running');

CREATE TABLE airt_findings (
  organization_id         uuid NOT NULL,
  id                      uuid NOT NULL,
  assessment_id           uuid NOT NULL,
  workspace_id            uuid NOT NULL,
  project_id              uuid NOT NULL,
  position                integer NOT NULL, -- in the assessment, from 0
  attack_name             text COLLATE "C" NOT NULL,
  goal                    text NOT NULL,
  goal_category           text COLLATE "C",
  -- What the attack is run with; null for a client's run.
  request                 jsonb,
  status                  text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'running', 'completed', 'failed')),
  job_attempt             integer NOT NULL DEFAULT 0,
  error                   text,
  finding_status          text NOT NULL DEFAULT 'open'
                            CHECK (finding_status IN ('open', 'false_positive', 'accepted_risk', 'remediated', 'incorrect_scoring')),
  finding_type            text NOT NULL DEFAULT 'robust'
                            CHECK (finding_type IN ('jailbreak', 'partial', 'refusal', 'error', 'evasion', 'degradation', 'robust')),
  severity                text NOT NULL DEFAULT 'info' CHECK (severity IN ('critical', 'high', 'medium', 'low', 'info')),
  -- As the run found them. Triage changes the two columns above.
  run_finding_type        text NOT NULL DEFAULT 'robust',
  run_severity            text NOT NULL DEFAULT 'info',
  original_severity       text, -- before the first change of severity
  -- A person has decided about it, and runs no longer change it.
  is_type_reviewed        boolean NOT NULL DEFAULT false,
  is_severity_reviewed    boolean NOT NULL DEFAULT false,
  notes                   text,
  threshold               double precision NOT NULL DEFAULT 0.5,
  best_score              double precision,
  total_trials            integer NOT NULL DEFAULT 0,
  finished_trials         integer NOT NULL DEFAULT 0,
  jailbreak_trials        integer NOT NULL DEFAULT 0,
  execution_time_s        double precision,
  compliance_tags         jsonb,
  transforms_applied      text[],
  best_candidate          text,
  best_transformed_prompt text,
  best_response           text,
  best_judge_reasoning    text,
  target_model            text COLLATE "C",
  attacker_model          text COLLATE "C",
  evaluator_model         text COLLATE "C",
  -- Fields that only spans of clients give, by their names in the API.
  reported                jsonb NOT NULL DEFAULT '{}',
  trace_id                text,
  span_id                 text,
  retest_id               uuid, -- the assessment that proved the fix
  cost_usd                numeric NOT NULL DEFAULT 0,
  model_calls             integer NOT NULL DEFAULT 0,
  created_at              timestamptz(3) NOT NULL DEFAULT now(),
  started_at              timestamptz(3),
  updated_at              timestamptz(3),
  completed_at            timestamptz(3),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT airt_findings_position UNIQUE (organization_id, assessment_id, position),
  CONSTRAINT airt_findings_assessment_fkey FOREIGN KEY (organization_id, assessment_id)
    REFERENCES airt_assessments (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX airt_findings_open ON airt_findings (organization_id, assessment_id, id) WHERE status IN ('pending', 'running');
-- The orders of a project's list.
CREATE INDEX airt_findings_by_score ON airt_findings (organization_id, project_id, best_score DESC NULLS LAST, id);
CREATE INDEX airt_findings_by_time ON airt_findings (organization_id, project_id, created_at DESC, id);
-- Finds findings that were remediated, when the same attack succeeds again.
CREATE INDEX airt_findings_remediated ON airt_findings (organization_id, project_id, attack_name, md5(goal)) WHERE finding_status = 'remediated';

-- The responses of models that an attack was given, in the order in which it asked. A worker that takes a finding over runs the attack from
-- the start with them. They are deleted when the finding has ended.
CREATE TABLE airt_calls (
  organization_id uuid NOT NULL,
  finding_id      uuid NOT NULL,
  seq             integer NOT NULL,
  role            text NOT NULL CHECK (role IN ('attacker', 'target', 'judge')),
  response        text, -- null where the call failed
  error           text,
  details         jsonb, -- what else a target reported
  PRIMARY KEY (organization_id, finding_id, seq),
  CONSTRAINT airt_calls_finding_fkey FOREIGN KEY (organization_id, finding_id)
    REFERENCES airt_findings (organization_id, id) ON DELETE CASCADE
);

CREATE TABLE airt_trials (
  organization_id    uuid NOT NULL,
  id                 uuid NOT NULL,
  assessment_id      uuid NOT NULL,
  finding_id         uuid NOT NULL,
  trial_index        integer NOT NULL,
  trial_status       text NOT NULL, -- finished, failed, or what a client reported
  candidate          text NOT NULL,
  transformed_prompt text NOT NULL,
  response           text NOT NULL,
  judge_reasoning    text NOT NULL,
  score              double precision, -- null where the trial did not finish
  is_jailbreak       boolean NOT NULL,
  is_refusal         boolean NOT NULL,
  transforms_applied text[] NOT NULL,
  error              text,
  session_id         uuid, -- of an agent
  actions            jsonb, -- what an agent did: commands, requests to the network, changed files
  span_id            text,
  execution_time_s   double precision NOT NULL DEFAULT 0,
  created_at         timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT airt_trials_index UNIQUE (organization_id, finding_id, trial_index),
  CONSTRAINT airt_trials_finding_fkey FOREIGN KEY (organization_id, finding_id)
    REFERENCES airt_findings (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX airt_trials_assessment ON airt_trials (organization_id, assessment_id, id);

-- Every edit of a finding, by a person or by the system. It has no foreign keys: the history outlives the finding, and goes with its workspace.
CREATE TABLE airt_finding_reviews (
  organization_id       uuid NOT NULL,
  id                    uuid NOT NULL,
  workspace_id          uuid NOT NULL,
  assessment_id         uuid NOT NULL,
  finding_id            uuid NOT NULL,
  attack_name           text COLLATE "C" NOT NULL,
  original_finding_type text NOT NULL,
  updated_finding_type  text NOT NULL,
  original_severity     text NOT NULL,
  updated_severity      text NOT NULL,
  original_status       text NOT NULL,
  updated_status        text NOT NULL,
  reasoning             text,
  retest_id             uuid,
  user_id               uuid, -- null: the system
  updated_by            text NOT NULL, -- the name of the user at that time, or 'system'
  updated_at            timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX airt_finding_reviews_finding ON airt_finding_reviews (organization_id, finding_id, id);
CREATE INDEX airt_finding_reviews_assessment ON airt_finding_reviews (organization_id, assessment_id, id);
CREATE INDEX airt_finding_reviews_workspace ON airt_finding_reviews (organization_id, workspace_id, id);

-- Rows are deleted with their workspace alone, whose deletion names it in this setting of its transaction.
CREATE FUNCTION refuse_review_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.workspace_id::text IS DISTINCT FROM current_setting('drydock.deleted_workspace', true) THEN
    RAISE EXCEPTION 'airt_finding_reviews is append-only';
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER airt_finding_reviews_append_only BEFORE UPDATE OR TRUNCATE ON airt_finding_reviews
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER airt_finding_reviews_kept BEFORE DELETE ON airt_finding_reviews
  FOR EACH ROW EXECUTE FUNCTION refuse_review_deletion();

CREATE TABLE airt_reports (
  organization_id uuid NOT NULL,
  id              uuid NOT NULL,
  assessment_id   uuid NOT NULL,
  report_type     text NOT NULL,
  content         text,
  content_json    jsonb,
  created_by      uuid NOT NULL REFERENCES users,
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT airt_reports_assessment_fkey FOREIGN KEY (organization_id, assessment_id)
    REFERENCES airt_assessments (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX airt_reports_assessment ON airt_reports (organization_id, assessment_id, id);

-- The assessment that a span reports to, where it names one. Nearly no span does, so the index costs nothing.
ALTER TABLE spans ADD COLUMN assessment_id uuid;
CREATE INDEX spans_assessment_id ON spans (organization_id, assessment_id) WHERE assessment_id IS NOT NULL;

-- Evaluations that run the trials of an agent belong to a finding, and are left out of lists like those of optimization jobs.
ALTER TABLE evaluations ADD COLUMN airt_finding_id uuid;
CREATE INDEX evaluations_airt_finding ON evaluations (organization_id, airt_finding_id) WHERE airt_finding_id IS NOT NULL;
DROP INDEX evaluations_listed;
DROP INDEX evaluations_listed_name;
CREATE INDEX evaluations_listed ON evaluations (organization_id, workspace_id, created_at DESC, id DESC)
  WHERE optimization_job_id IS NULL AND airt_finding_id IS NULL;
CREATE INDEX evaluations_listed_name ON evaluations (organization_id, workspace_id, name, id)
  WHERE optimization_job_id IS NULL AND airt_finding_id IS NULL;
