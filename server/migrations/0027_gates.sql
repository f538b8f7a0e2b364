-- oldest program: 0026
-- Gates: what a version must prove before it is used. A check runs evaluations and assessments, and gives each rule a verdict.

CREATE TABLE gates (
  organization_id uuid NOT NULL REFERENCES organizations,
  id              uuid NOT NULL,
  workspace_id    uuid NOT NULL,
  created_by      uuid NOT NULL REFERENCES users,
  name            text COLLATE "C" NOT NULL,
  description     text,
  rules           jsonb NOT NULL,
  -- What checks run with: model, agent, project, attacker and judge, repetitions, concurrency, seed.
  settings        jsonb NOT NULL,
  -- Capabilities whose releases are promoted only after they have passed; names of this organization.
  protects        text[] NOT NULL DEFAULT '{}',
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  updated_at      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT gates_name_key UNIQUE (organization_id, workspace_id, name),
  CONSTRAINT gates_workspace_fkey FOREIGN KEY (organization_id, workspace_id) REFERENCES workspaces (organization_id, id)
);
CREATE INDEX gates_protects ON gates USING gin (protects);

CREATE TABLE gate_checks (
  organization_id     uuid NOT NULL,
  id                  uuid NOT NULL,
  gate_id             uuid NOT NULL,
  workspace_id        uuid NOT NULL,
  created_by          uuid NOT NULL REFERENCES users,
  -- What is checked: a version of a capability with a model, or a model alone.
  capability          text COLLATE "C",
  version             text,
  version_id          uuid,
  model               text COLLATE "C" NOT NULL,
  -- As they were when the check was created.
  rules               jsonb NOT NULL,
  settings            jsonb NOT NULL,
  status              text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'completed', 'failed', 'cancelled')),
  attempt             integer NOT NULL DEFAULT 0,
  checkpoint          jsonb,
  error               text,
  cancel_requested_at timestamptz(3),
  verdict             text CHECK (verdict IN ('passed', 'failed', 'inconclusive')), -- null before the end
  results             jsonb, -- by rule, as of the end
  created_at          timestamptz(3) NOT NULL DEFAULT now(),
  started_at          timestamptz(3),
  completed_at        timestamptz(3),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT gate_checks_gate_fkey FOREIGN KEY (organization_id, gate_id) REFERENCES gates (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX gate_checks_open ON gate_checks (organization_id, id) WHERE status IN ('queued', 'running');
CREATE INDEX gate_checks_gate ON gate_checks (organization_id, gate_id, created_at DESC, id DESC);
CREATE INDEX gate_checks_capability ON gate_checks (organization_id, workspace_id, capability, created_at DESC, id DESC)
  WHERE capability IS NOT NULL;

-- The check that an evaluation was made for. Its results stay as they are: a retry would change the verdict.
ALTER TABLE evaluations ADD COLUMN gate_check_id uuid;

-- The task that stands for a finding.
CREATE TABLE airt_regression_tasks (
  organization_id uuid NOT NULL,
  finding_id      uuid NOT NULL,
  task_name       text COLLATE "C" NOT NULL,
  task_version    text NOT NULL,
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, finding_id, task_name, task_version),
  CONSTRAINT airt_regression_tasks_finding_fkey FOREIGN KEY (organization_id, finding_id)
    REFERENCES airt_findings (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX airt_regression_tasks_task ON airt_regression_tasks (organization_id, task_name, task_version);

-- Whether an attack still works on another version, as checks of gates have found.
CREATE TABLE airt_remediation_evidence (
  organization_id uuid NOT NULL,
  finding_id      uuid NOT NULL,
  gate_check_id   uuid NOT NULL,
  assessment_id   uuid, -- the attack ran again, or
  evaluation_id   uuid, -- its regression task was evaluated
  target          text NOT NULL,
  finished        integer NOT NULL, -- trials or samples with a result
  jailbreaks      integer NOT NULL, -- those in which the attack succeeded
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, finding_id, gate_check_id),
  CONSTRAINT airt_remediation_evidence_finding_fkey FOREIGN KEY (organization_id, finding_id)
    REFERENCES airt_findings (organization_id, id) ON DELETE CASCADE
);

-- How a prompt reached the target where it was not sent alone: the conversation before it, or the document that hid it.
ALTER TABLE airt_trials ADD COLUMN delivery jsonb;

CREATE INDEX airt_findings_attack ON airt_findings (organization_id, project_id, attack_name, md5(goal)) WHERE jailbreak_trials > 0;
