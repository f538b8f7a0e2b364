-- oldest program: 0020
-- Evaluations: one model, with an agent, over many samples. A sample is an item: one task or dataset row, one repetition. An item
-- is tried again after an infrastructure error; each try is an attempt with a session of its own, and the last attempt counts.
-- docs/decisions/evaluations.md explains the words.

-- The job table of `evaluations.run`. The queue works on rows that are `queued` or `running`. A paused row stays `running` until the
-- samples under way have ended; `shown_status` is what readers see.
CREATE TABLE evaluations (
  organization_id     uuid NOT NULL REFERENCES organizations,
  id                  uuid NOT NULL,
  workspace_id        uuid NOT NULL,
  project_id          uuid, -- a deleted project reads as none
  created_by          uuid NOT NULL REFERENCES users,
  name                text NOT NULL,
  model               text COLLATE "C" NOT NULL,
  tags                text[] NOT NULL DEFAULT '{}',
  concurrency         integer NOT NULL CHECK (concurrency BETWEEN 1 AND 100),
  budget_usd          numeric,
  -- The rest of the request, with defaults and with versions resolved: tasks or dataset, scorers, agent, capability, limits, …
  request             jsonb NOT NULL,
  -- What samples run with, as it was at creation: the agent's name and prompt, the configuration of sandboxes.
  execution           jsonb NOT NULL,
  skipped_members     jsonb NOT NULL DEFAULT '[]',
  total_samples       integer NOT NULL,
  status              text NOT NULL DEFAULT 'queued'
                        CHECK (status IN ('queued', 'running', 'paused', 'completed', 'failed', 'cancelled')),
  is_paused           boolean NOT NULL DEFAULT false,
  pause_reason        text,
  shown_status        text NOT NULL
                        GENERATED ALWAYS AS (CASE WHEN status = 'running' AND is_paused THEN 'paused' ELSE status END) STORED,
  attempt             integer NOT NULL DEFAULT 0, -- of the job, and not of an item: the fence of its worker
  checkpoint          jsonb,
  error               text,
  stop_reason         text,
  cancel_requested_at timestamptz(3),
  -- Kept in the transactions that change items: how many are in each state, and sums over the attempts that count. The cost is that
  -- of all attempts.
  item_counts         jsonb NOT NULL,
  score_sum           double precision NOT NULL DEFAULT 0,
  scored_count        integer NOT NULL DEFAULT 0,
  cost_usd            numeric NOT NULL DEFAULT 0,
  analytics_snapshot  jsonb, -- as of the end
  counts_told_at      timestamptz(3), -- readers of events are told the counts at most four times a second
  created_at          timestamptz(3) NOT NULL DEFAULT now(),
  started_at          timestamptz(3),
  completed_at        timestamptz(3),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT evaluations_workspace_fkey FOREIGN KEY (organization_id, workspace_id)
    REFERENCES workspaces (organization_id, id)
);
CREATE INDEX evaluations_open ON evaluations (organization_id, id) WHERE status IN ('queued', 'running');
CREATE INDEX evaluations_created_at ON evaluations (organization_id, workspace_id, created_at DESC, id DESC);
CREATE INDEX evaluations_name ON evaluations (organization_id, workspace_id, name, id);

-- The tasks of an evaluation, as they were when it was created: a version that is deleted later still runs.
CREATE TABLE evaluation_tasks (
  organization_id uuid NOT NULL,
  evaluation_id   uuid NOT NULL,
  position        integer NOT NULL, -- from 0
  task_name       text COLLATE "C" NOT NULL, -- with its organization where that is another
  task_version    text NOT NULL,
  owner_id        uuid NOT NULL, -- the organization that published it
  version_id      uuid NOT NULL,
  details         jsonb NOT NULL,
  tags            text[] NOT NULL DEFAULT '{}',
  difficulty      text,
  PRIMARY KEY (organization_id, evaluation_id, position),
  CONSTRAINT evaluation_tasks_evaluation_fkey FOREIGN KEY (organization_id, evaluation_id)
    REFERENCES evaluations (organization_id, id) ON DELETE CASCADE
);

-- The rows of an evaluated dataset, with templates filled in.
CREATE TABLE evaluation_rows (
  organization_id uuid NOT NULL,
  evaluation_id   uuid NOT NULL,
  position        integer NOT NULL, -- of the row in its split, from 0
  input           text NOT NULL,
  expected        text,
  system          text,
  files           jsonb, -- path to content
  columns         jsonb, -- values of the columns that scorers name
  PRIMARY KEY (organization_id, evaluation_id, position),
  CONSTRAINT evaluation_rows_evaluation_fkey FOREIGN KEY (organization_id, evaluation_id)
    REFERENCES evaluations (organization_id, id) ON DELETE CASCADE
);

CREATE TABLE evaluation_items (
  organization_id     uuid NOT NULL,
  id                  uuid NOT NULL, -- ascending with the position, which is the order in which items are claimed
  evaluation_id       uuid NOT NULL,
  position            integer NOT NULL, -- from 0
  source_position     integer NOT NULL, -- the position of its task or row; repetitions share it
  task_name           text COLLATE "C", -- null for a row of a dataset
  task_version        text,
  row_index           integer,
  sample              integer NOT NULL, -- which repetition, from 1
  status              text NOT NULL DEFAULT 'queued'
                        CHECK (status IN ('queued', 'claiming', 'provisioning', 'agent_running', 'agent_finished', 'verifying',
                                          'passed', 'failed', 'timed_out', 'cancelled', 'infra_error')),
  job_attempt         integer NOT NULL DEFAULT 0, -- the attempt of the job that has claimed it
  cancel_requested_at timestamptz(3),
  -- The attempt under way, or the last one. Attempts before it lie in evaluation_item_attempts.
  attempt_id          uuid, -- also the id of its session group
  attempt_number      integer NOT NULL DEFAULT 0,
  retry_count         integer NOT NULL DEFAULT 0, -- attempts that infrastructure errors have used up since the item was last queued
  session_id          uuid,
  agent_sandbox_id    uuid,
  env_sandbox_id      uuid, -- the sandbox of the verification
  passed              boolean,
  score               double precision,
  scores              jsonb NOT NULL DEFAULT '{}',
  metrics             jsonb, -- figures that the verification reported beside its score
  stop_reason         text,
  error               text,
  error_kind          text CHECK (error_kind IN ('agent', 'verifier', 'limit', 'infra')),
  requested_resources jsonb,
  enforced_resources  jsonb,
  input_tokens        bigint NOT NULL DEFAULT 0,
  output_tokens       bigint NOT NULL DEFAULT 0,
  cache_read_input_tokens     bigint NOT NULL DEFAULT 0,
  cache_creation_input_tokens bigint NOT NULL DEFAULT 0,
  cost_usd            numeric NOT NULL DEFAULT 0,
  turn_count          integer NOT NULL DEFAULT 0,
  answer              text, -- its first 4 KiB
  verification        jsonb,
  duration_ms         integer,
  queued_at           timestamptz(3) NOT NULL DEFAULT now(),
  started_at          timestamptz(3),
  agent_started_at    timestamptz(3),
  agent_finished_at   timestamptz(3),
  completed_at        timestamptz(3),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT evaluation_items_position_key UNIQUE (organization_id, evaluation_id, position),
  CONSTRAINT evaluation_items_evaluation_fkey FOREIGN KEY (organization_id, evaluation_id)
    REFERENCES evaluations (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX evaluation_items_open ON evaluation_items (organization_id, evaluation_id, id)
  WHERE status IN ('queued', 'claiming', 'provisioning', 'agent_running', 'agent_finished', 'verifying');
CREATE INDEX evaluation_items_status ON evaluation_items (organization_id, evaluation_id, status, position);
CREATE INDEX evaluation_items_task ON evaluation_items (organization_id, evaluation_id, task_name, position);
CREATE INDEX evaluation_items_error ON evaluation_items (organization_id, evaluation_id, position) WHERE error IS NOT NULL;

-- Attempts that do not count any more, as they ended.
CREATE TABLE evaluation_item_attempts (
  organization_id uuid NOT NULL,
  item_id         uuid NOT NULL,
  number          integer NOT NULL, -- from 1
  id              uuid NOT NULL,
  session_id      uuid,
  outcome         jsonb NOT NULL,
  PRIMARY KEY (organization_id, item_id, number),
  CONSTRAINT evaluation_item_attempts_item_fkey FOREIGN KEY (organization_id, item_id)
    REFERENCES evaluation_items (organization_id, id) ON DELETE CASCADE
);

-- The texts that a search reads: messages of the attempts that count, folded. There is one row for each message, so that matches can
-- be counted, in the order of the samples. A search reads all texts, so they are not compressed, and up to 8 KB they are in the row.
CREATE TABLE evaluation_texts (
  organization_id uuid NOT NULL,
  evaluation_id   uuid NOT NULL,
  position        integer NOT NULL, -- of the item
  seq             integer NOT NULL, -- of the message in its session
  grams           bytea STORAGE EXTERNAL, -- a filter of the n-grams of a text above 4 KiB
  text            text STORAGE EXTERNAL COLLATE "C" NOT NULL,
  PRIMARY KEY (organization_id, evaluation_id, position, seq),
  CONSTRAINT evaluation_texts_evaluation_fkey FOREIGN KEY (organization_id, evaluation_id)
    REFERENCES evaluations (organization_id, id) ON DELETE CASCADE
) WITH (toast_tuple_target = 8160);

-- Versions whose files are still needed after the version is deleted. The files stay until the last pin is gone.
CREATE TABLE artifact_pins (
  organization_id uuid NOT NULL, -- the version's
  version_id      uuid NOT NULL,
  holder_id       uuid NOT NULL, -- the evaluation
  PRIMARY KEY (organization_id, version_id, holder_id),
  CONSTRAINT artifact_pins_version_fkey FOREIGN KEY (organization_id, version_id) REFERENCES artifact_versions
);

-- The sessions of a deleted evaluation may be deleted like any other.
ALTER TABLE session_groups ADD COLUMN released_at timestamptz(3);
