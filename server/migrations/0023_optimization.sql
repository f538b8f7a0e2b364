-- oldest program: 0022
-- Optimization jobs: better texts for an agent, found by the algorithm in platform/optimizer. A candidate is scored by an evaluation that
-- belongs to the job, and every result of a model lies in the rows below, so that another worker replays the job and goes on with it.
-- docs/decisions/optimization.md explains the words.

CREATE TABLE optimization_jobs (
  organization_id     uuid NOT NULL REFERENCES organizations,
  id                  uuid NOT NULL,
  workspace_id        uuid NOT NULL,
  project_id          uuid, -- a deleted project reads as none
  created_by          uuid NOT NULL REFERENCES users,
  name                text,
  model               text COLLATE "C" NOT NULL,
  target_kind         text NOT NULL CHECK (target_kind IN ('capability_agent', 'capability_env')),
  tags                text[] NOT NULL DEFAULT '{}',
  -- The rest of the request, with defaults and with versions resolved.
  request             jsonb NOT NULL,
  seed_candidate      jsonb NOT NULL, -- component to text
  train_size          integer NOT NULL,
  val_size            integer NOT NULL, -- 0 where the training set is the validation set
  holdout_size        integer NOT NULL,
  warnings            text[] NOT NULL DEFAULT '{}',
  retry_of            uuid,
  status              text NOT NULL DEFAULT 'queued'
                        CHECK (status IN ('pending', 'queued', 'running', 'completed', 'failed', 'cancelled')),
  attempt             integer NOT NULL DEFAULT 0,
  checkpoint          jsonb,
  error               text,
  cancel_requested_at timestamptz(3),
  -- Events of the engine that are stored. A worker that replays the job skips as many.
  event_count         integer NOT NULL DEFAULT 0,
  running_ms          bigint NOT NULL DEFAULT 0, -- of all workers so far
  iteration           integer NOT NULL DEFAULT -1,
  metric_calls        integer NOT NULL DEFAULT 0,
  best_index          integer,
  frontier            integer[] NOT NULL DEFAULT '{}',
  stop_reason         text,
  created_at          timestamptz(3) NOT NULL DEFAULT now(),
  started_at          timestamptz(3),
  completed_at        timestamptz(3),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT optimization_jobs_workspace_fkey FOREIGN KEY (organization_id, workspace_id)
    REFERENCES workspaces (organization_id, id)
);
CREATE INDEX optimization_jobs_open ON optimization_jobs (organization_id, id) WHERE status IN ('queued', 'running');
CREATE INDEX optimization_jobs_created_at ON optimization_jobs (organization_id, workspace_id, created_at DESC, id DESC);

-- The tasks or rows on which candidates are scored, as they were at creation.
CREATE TABLE optimization_examples (
  organization_id uuid NOT NULL,
  job_id          uuid NOT NULL,
  split           text NOT NULL CHECK (split IN ('train', 'validation', 'holdout')),
  position        integer NOT NULL, -- from 0; the engine knows examples by it
  row_index       integer, -- in the dataset; null for a task
  task_name       text COLLATE "C",
  task_version    text,
  source          jsonb NOT NULL, -- the row, or the task with its details
  PRIMARY KEY (organization_id, job_id, split, position),
  CONSTRAINT optimization_examples_job_fkey FOREIGN KEY (organization_id, job_id)
    REFERENCES optimization_jobs (organization_id, id) ON DELETE CASCADE
);

-- One evaluation of one candidate, as the engine asked for it.
CREATE TABLE optimization_batches (
  organization_id uuid NOT NULL,
  job_id          uuid NOT NULL,
  iteration       integer NOT NULL, -- -1: the seed
  proposal        integer NOT NULL,
  purpose         text NOT NULL CHECK (purpose IN ('parent', 'child', 'merge', 'validation', 'holdout')),
  split           text NOT NULL,
  candidate_sha256 text NOT NULL, -- of the texts that are scored
  positions       integer[] NOT NULL,
  evaluation_id   uuid NOT NULL,
  is_inherited    boolean NOT NULL, -- copied from the job that this one retries, and not changed by this one
  PRIMARY KEY (organization_id, job_id, iteration, proposal, purpose),
  CONSTRAINT optimization_batches_job_fkey FOREIGN KEY (organization_id, job_id)
    REFERENCES optimization_jobs (organization_id, id) ON DELETE CASCADE
);

CREATE TABLE optimization_reflections (
  organization_id uuid NOT NULL,
  job_id          uuid NOT NULL,
  iteration       integer NOT NULL,
  proposal        integer NOT NULL,
  component       text COLLATE "C" NOT NULL,
  paid_by         uuid NOT NULL, -- the job that made the call; a retry takes over those of the job before it
  prompt          text NOT NULL,
  response        text, -- null where the call failed
  error           text,
  session_id      uuid,
  cost_usd        numeric NOT NULL DEFAULT 0,
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, job_id, iteration, proposal, component),
  CONSTRAINT optimization_reflections_job_fkey FOREIGN KEY (organization_id, job_id)
    REFERENCES optimization_jobs (organization_id, id) ON DELETE CASCADE
);

-- What the engine decided, from its events: proposals, and the accepted ones as candidates. The seed is candidate 0.
CREATE TABLE optimization_proposals (
  organization_id uuid NOT NULL,
  job_id          uuid NOT NULL,
  iteration       integer NOT NULL,
  proposal        integer NOT NULL,
  status          text NOT NULL CHECK (status IN ('accepted', 'rejected')),
  reason          text, -- why it was rejected
  found_by        text NOT NULL CHECK (found_by IN ('reflection', 'merge')),
  parents         integer[] NOT NULL,
  candidate_index integer,
  components      text[] NOT NULL, -- those that it changed
  texts           jsonb, -- the new texts of these components; null where there was no child
  minibatch       integer[] NOT NULL,
  parent_scores   double precision[],
  child_scores    double precision[],
  error           text,
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, job_id, iteration, proposal),
  CONSTRAINT optimization_proposals_job_fkey FOREIGN KEY (organization_id, job_id)
    REFERENCES optimization_jobs (organization_id, id) ON DELETE CASCADE
);

CREATE TABLE optimization_candidates (
  organization_id uuid NOT NULL,
  job_id          uuid NOT NULL,
  index           integer NOT NULL,
  iteration       integer NOT NULL,
  proposal        integer NOT NULL,
  found_by        text NOT NULL CHECK (found_by IN ('seed', 'reflection', 'merge')),
  parents         integer[] NOT NULL,
  texts           jsonb NOT NULL,
  scores          double precision[] NOT NULL, -- on the validation set, by position
  mean_score      double precision NOT NULL,
  objectives      jsonb NOT NULL,
  is_best         boolean NOT NULL, -- it was the best when it was found
  metric_calls    integer NOT NULL, -- when it was found
  holdout_score   double precision,
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, job_id, index),
  CONSTRAINT optimization_candidates_job_fkey FOREIGN KEY (organization_id, job_id)
    REFERENCES optimization_jobs (organization_id, id) ON DELETE CASCADE
);

-- Capability versions that were made of candidates.
CREATE TABLE optimization_promotions (
  organization_id uuid NOT NULL,
  capability      text COLLATE "C" NOT NULL,
  version         text COLLATE "C" NOT NULL,
  job_id          uuid NOT NULL,
  candidate_index integer NOT NULL,
  created_by      uuid NOT NULL REFERENCES users,
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, capability, version),
  CONSTRAINT optimization_promotions_job_fkey FOREIGN KEY (organization_id, job_id)
    REFERENCES optimization_jobs (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX optimization_promotions_job ON optimization_promotions (organization_id, job_id);

-- The evaluations that score candidates belong to a job, and are left out of lists.
ALTER TABLE evaluations ADD COLUMN optimization_job_id uuid;
CREATE INDEX evaluations_listed ON evaluations (organization_id, workspace_id, created_at DESC, id DESC) WHERE optimization_job_id IS NULL;
CREATE INDEX evaluations_listed_name ON evaluations (organization_id, workspace_id, name, id) WHERE optimization_job_id IS NULL;
DROP INDEX evaluations_name;
CREATE INDEX evaluations_optimization ON evaluations (organization_id, optimization_job_id) WHERE optimization_job_id IS NOT NULL;
