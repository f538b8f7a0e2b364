-- oldest program: 0024
-- Training jobs: gradients are computed by trainers, which claim jobs over HTTP and report to the server. docs/design/training.md explains
-- the protocol.

CREATE TABLE training_jobs (
  organization_id     uuid NOT NULL REFERENCES organizations,
  id                  uuid NOT NULL,
  workspace_id        uuid NOT NULL,
  project_id          uuid, -- a deleted project reads as none
  created_by          uuid NOT NULL REFERENCES users,
  name                text,
  backend             text NOT NULL CHECK (backend IN ('hosted_a', 'hosted_b')),
  trainer_type        text NOT NULL CHECK (trainer_type IN ('sft', 'rl')),
  model               text COLLATE "C" NOT NULL,
  tags                text[] NOT NULL DEFAULT '{}',
  -- The rest of the request as it was sent, beside what it resolves to: versions, datasets, settings with defaults.
  request             jsonb NOT NULL,
  retry_of            uuid,
  status              text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'completed', 'failed', 'cancelled')),
  -- Fences trainers: a report of another attempt than this one is refused.
  attempt             integer NOT NULL DEFAULT 0,
  worker              text, -- the name of the trainer that has, or had, the job
  worker_key_id       uuid, -- the API key that claimed it, with which alone it can be reported on
  lease_expires_at    timestamptz(3), -- only while it runs
  lost_workers        integer NOT NULL DEFAULT 0,
  -- The last record of the attempt that was stored.
  progress_seq        integer NOT NULL DEFAULT 0,
  reported_at         timestamptz(3), -- the last report of the attempt
  trainer_ms          bigint NOT NULL DEFAULT 0, -- of all attempts
  step                integer NOT NULL DEFAULT 0, -- the last one that was reported
  num_tokens          bigint NOT NULL DEFAULT 0,
  start_report        jsonb, -- what the trainer said when it began
  summary             jsonb NOT NULL DEFAULT '{}', -- its last figures
  error               text,
  cancel_requested_at timestamptz(3),
  created_at          timestamptz(3) NOT NULL DEFAULT now(),
  started_at          timestamptz(3),
  completed_at        timestamptz(3),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT training_jobs_workspace_fkey FOREIGN KEY (organization_id, workspace_id)
    REFERENCES workspaces (organization_id, id),
  CONSTRAINT training_jobs_lease CHECK ((status = 'running') = (lease_expires_at IS NOT NULL))
);
CREATE INDEX training_jobs_created_at ON training_jobs (organization_id, workspace_id, created_at DESC, id DESC);
CREATE INDEX training_jobs_queued ON training_jobs (organization_id, workspace_id, created_at, id) WHERE status = 'queued';
CREATE INDEX training_jobs_leases ON training_jobs (lease_expires_at) WHERE status = 'running';

-- Append-only: a step that is trained again after a lost trainer is a row of the next attempt, and readers take the newest attempt.
CREATE TABLE training_metrics (
  organization_id uuid NOT NULL,
  job_id          uuid NOT NULL,
  name            text COLLATE "C" NOT NULL,
  step            integer NOT NULL,
  attempt         integer NOT NULL,
  value           double precision NOT NULL,
  -- Readers take the newest attempt of each step by a backward scan of this index alone, so it holds the value too.
  PRIMARY KEY (organization_id, job_id, name, step, attempt) INCLUDE (value),
  CONSTRAINT training_metrics_job_fkey FOREIGN KEY (organization_id, job_id)
    REFERENCES training_jobs (organization_id, id) ON DELETE CASCADE
);

CREATE TABLE training_logs (
  organization_id uuid NOT NULL,
  job_id          uuid NOT NULL,
  id              uuid NOT NULL, -- in the order of arrival
  level           text NOT NULL CHECK (level IN ('debug', 'info', 'warning', 'error')),
  message         text NOT NULL,
  data            jsonb,
  created_at      timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, job_id, id),
  CONSTRAINT training_logs_job_fkey FOREIGN KEY (organization_id, job_id)
    REFERENCES training_jobs (organization_id, id) ON DELETE CASCADE
);

CREATE TABLE training_checkpoints (
  organization_id uuid NOT NULL,
  job_id          uuid NOT NULL,
  step            integer NOT NULL,
  attempt         integer NOT NULL,
  files           jsonb NOT NULL, -- path, size_bytes, sha256, parts: object keys and sizes
  size_bytes      bigint NOT NULL,
  digest          text NOT NULL, -- over paths and digests of the files, in hexadecimal
  metrics         jsonb NOT NULL DEFAULT '{}',
  is_servable     boolean NOT NULL,
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  completed_at    timestamptz(3), -- when all of its parts were found; before, it does not count
  PRIMARY KEY (organization_id, job_id, step, attempt),
  CONSTRAINT training_checkpoints_job_fkey FOREIGN KEY (organization_id, job_id)
    REFERENCES training_jobs (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX training_checkpoints_incomplete ON training_checkpoints (organization_id, job_id) WHERE completed_at IS NULL;

-- Model versions made of checkpoints. The row is written before the version is published, so that a repeated call publishes the same one.
CREATE TABLE training_publications (
  organization_id uuid NOT NULL,
  job_id          uuid NOT NULL,
  model           text COLLATE "C" NOT NULL,
  version         text NOT NULL,
  step            integer NOT NULL,
  is_final        boolean NOT NULL, -- made by the end of the job
  created_by      uuid NOT NULL REFERENCES users,
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  published_at    timestamptz(3),
  PRIMARY KEY (organization_id, model, version),
  CONSTRAINT training_publications_job_fkey FOREIGN KEY (organization_id, job_id)
    REFERENCES training_jobs (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX training_publications_job_id ON training_publications (organization_id, job_id);

-- Trainers that have asked for jobs.
CREATE TABLE training_workers (
  organization_id uuid NOT NULL,
  workspace_id    uuid NOT NULL,
  name            text COLLATE "C" NOT NULL,
  engines         text[] NOT NULL,
  resources       jsonb NOT NULL,
  seen_at         timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, workspace_id, name),
  CONSTRAINT training_workers_workspace_fkey FOREIGN KEY (organization_id, workspace_id)
    REFERENCES workspaces (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX training_workers_seen_at ON training_workers (seen_at);

-- Model versions that a trainer beside the server answers for, as `local/<model>@<version>`.
CREATE TABLE served_models (
  organization_id uuid NOT NULL REFERENCES organizations,
  model           text COLLATE "C" NOT NULL,
  version         text NOT NULL,
  version_id      uuid NOT NULL,
  created_by      uuid NOT NULL REFERENCES users,
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, model, version)
);

-- Parts of checkpoints count against the quota of objects.
CREATE OR REPLACE FUNCTION owner_of_object(key text) RETURNS uuid IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
  SELECT CASE WHEN key ~ '^(orgs|exports|training)/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/' THEN split_part(key, '/', 2)::uuid END
$$;
