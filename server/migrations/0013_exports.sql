-- oldest program: 0012
-- Answers to a question in SQL, as a file in the object storage.

CREATE TABLE exports (
  organization_id     uuid NOT NULL REFERENCES organizations,
  id                  uuid NOT NULL,
  workspace_id        uuid NOT NULL,
  created_by          uuid NOT NULL REFERENCES users, -- whose rows it holds: nobody else is told more than that it is there
  -- Of an API key that is limited to the workspace: it sees no more of the organization's usage than its user's own.
  is_limited          boolean NOT NULL DEFAULT false,
  project_id          uuid, -- only rows of it; none: of all
  query               text NOT NULL,
  max_rows            integer NOT NULL,
  status              text NOT NULL DEFAULT 'queued'
                        CHECK (status IN ('queued', 'running', 'completed', 'failed', 'cancelled')),
  attempt             integer NOT NULL DEFAULT 0,
  checkpoint          jsonb,
  error               text,
  cancel_requested_at timestamptz(3),
  -- How many rows the attempt under way, or the last one, has read so far.
  rows_read           bigint NOT NULL DEFAULT 0,
  -- Of what is completed: the file, until it is deleted, and how long a link to it lasts.
  object_key          text,
  file_size_bytes     bigint NOT NULL DEFAULT 0,
  row_count           bigint NOT NULL DEFAULT 0,
  expires_at          timestamptz(3),
  -- Of what has ended: when all that its attempts have put into the object storage is deleted.
  sweep_at            timestamptz(3),
  created_at          timestamptz(3) NOT NULL DEFAULT now(),
  started_at          timestamptz(3),
  completed_at        timestamptz(3),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT exports_workspace_fkey FOREIGN KEY (organization_id, workspace_id)
    REFERENCES workspaces (organization_id, id)
);
CREATE INDEX exports_open ON exports (organization_id, id) WHERE status IN ('queued', 'running');
-- The list: one's own, newest first.
CREATE INDEX exports_list ON exports (organization_id, workspace_id, created_by, created_at DESC, id DESC);
CREATE INDEX exports_sweep ON exports (sweep_at) WHERE sweep_at IS NOT NULL;
