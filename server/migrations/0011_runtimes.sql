-- oldest program: 0010
-- Runtimes: durable environments, the sandboxes in which they run, and the hosts on which those live.
--
-- A runtime is what people keep: its key, its configuration, its disk. A sandbox is one materialization of it, from a start
-- until its end. It lives on one host, whose process alone operates it.

-- A machine, or a part of one, on which sandboxes run: its identity lies in its data directory. Global: it serves every
-- organization. Who holds the lease operates its sandboxes; once it has ended, they are gone.
CREATE TABLE sandbox_hosts (
  id               uuid PRIMARY KEY,
  url              text NOT NULL,                -- where other processes reach the one that holds the lease
  holder_id        uuid NOT NULL,                -- of the process; a new one at each start
  lease_expires_at timestamptz(3) NOT NULL,
  providers        jsonb NOT NULL DEFAULT '[]',  -- what its probes found
  created_at       timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE runtimes (
  organization_id                 uuid NOT NULL,
  id                              uuid NOT NULL,
  workspace_id                    uuid NOT NULL,
  key                             text COLLATE "C" NOT NULL,
  name                            text NOT NULL,
  description                     text,
  -- What refers to a project that is deleted refers to none.
  project_id                      uuid,
  created_by                      uuid NOT NULL REFERENCES users, -- the owner: who may operate it
  requested_runtime_limit_seconds integer,
  config                          jsonb NOT NULL, -- with defaults
  config_digest                   text NOT NULL,
  -- Of the limits in its configuration, those that were asked for rather than assumed: what cannot be held is refused.
  given_limits                    text[] NOT NULL DEFAULT '{}',
  status                          text NOT NULL DEFAULT 'idle' CHECK (status IN ('idle', 'running', 'paused')),
  -- A change of state that is under way. Its holder is the process of the host; when that dies, the host's next one ends it.
  move                            text CHECK (move IN ('starting', 'pausing', 'resuming', 'ending')),
  sandbox_id                      uuid, -- the last one
  host_id                         uuid REFERENCES sandbox_hosts, -- where its disk lies; null while it has none
  disk_id                         uuid, -- what was written; a disk that no runtime names is removed by its host
  created_at                      timestamptz(3) NOT NULL DEFAULT now(),
  updated_at                      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT runtimes_key UNIQUE (organization_id, workspace_id, key),
  CONSTRAINT runtimes_workspace_fkey FOREIGN KEY (organization_id, workspace_id)
    REFERENCES workspaces (organization_id, id)
);
-- Lists: newest first, of a workspace, of one of its states, of a project.
CREATE INDEX runtimes_created ON runtimes (organization_id, workspace_id, id);
CREATE INDEX runtimes_status ON runtimes (organization_id, workspace_id, status, id);
CREATE INDEX runtimes_project ON runtimes (organization_id, workspace_id, project_id, id);
CREATE INDEX runtimes_host ON runtimes (host_id);
-- Looked for every few seconds, also of hosts that are gone and have many.
CREATE INDEX runtimes_moving ON runtimes (host_id) WHERE move IS NOT NULL;

-- No foreign keys to what they were made for: usage tells of those too that were deleted since.
CREATE TABLE sandboxes (
  organization_id                       uuid NOT NULL,
  id                                    uuid NOT NULL,
  runtime_id                            uuid NOT NULL,
  workspace_id                          uuid NOT NULL,
  project_id                            uuid,
  created_by                            uuid NOT NULL,
  host_id                               uuid NOT NULL REFERENCES sandbox_hosts,
  provider                              text NOT NULL,
  provider_sandbox_id                   text NOT NULL,
  supports_pause                        boolean NOT NULL,
  config_digest                         text NOT NULL,
  limits                                jsonb NOT NULL DEFAULT '{}', -- those that are held
  -- `starting` is told to nobody: until it runs, its runtime is idle.
  state                                 text NOT NULL CHECK (state IN ('starting', 'running', 'paused', 'killed')),
  pause_reason                          text CHECK (pause_reason IN ('timeout', 'user', 'insufficient_credits', 'member_limit_exceeded')),
  created_at                            timestamptz(3) NOT NULL DEFAULT now(),
  ended_at                              timestamptz(3),
  end_reason                            text, -- in words, for its log
  -- Its time: of the periods that have ended, and since when it runs.
  period                                integer NOT NULL DEFAULT 0,
  period_started_at                     timestamptz(3), -- null while it does not run
  ended_periods_ms                      bigint NOT NULL DEFAULT 0,
  expires_at                            timestamptz(3), -- of this period; null while it does not run
  requested_runtime_limit_seconds       integer,
  requested_runtime_limit_source_level  text,
  configured_runtime_limit_seconds      integer,
  configured_runtime_limit_source_level text,
  actual_runtime_limit_seconds          integer,
  runtime_limited_by_credits            boolean NOT NULL DEFAULT false,
  billed_credits                        bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (organization_id, id),
  CHECK ((period_started_at IS NOT NULL) = (state = 'running'))
);
CREATE INDEX sandboxes_created_by ON sandboxes (organization_id, created_by, id);
CREATE INDEX sandboxes_state ON sandboxes (organization_id, state, id);
CREATE INDEX sandboxes_project ON sandboxes (organization_id, project_id, id);
CREATE INDEX sandboxes_runtime ON sandboxes (organization_id, runtime_id, id);
-- What a host has to look after, and what runs out.
CREATE INDEX sandboxes_alive ON sandboxes (host_id, expires_at) WHERE state <> 'killed';
-- What a host knows of a sandbox, also of one that has just ended, is its id alone.
CREATE INDEX sandboxes_host ON sandboxes (host_id, id);

-- What happened to a sandbox, and what it asked of the network. Written by its host's process alone, which numbers it under
-- the lock of the sandbox's row.
CREATE TABLE sandbox_log (
  organization_id uuid NOT NULL,
  sandbox_id      uuid NOT NULL,
  number          integer NOT NULL,
  at              timestamptz(3) NOT NULL,
  kind            text NOT NULL CHECK (kind IN ('lifecycle', 'egress')),
  message         text NOT NULL,
  details         jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (organization_id, sandbox_id, number)
);

-- The environment of a sandbox, sealed, while it lives: it stays what it was at the start, whatever becomes of the secrets that
-- it was made of.
CREATE TABLE sandbox_environments (
  organization_id uuid NOT NULL,
  sandbox_id      uuid NOT NULL,
  key_id          text NOT NULL,
  wrapped_key     bytea NOT NULL,
  ciphertext      bytea NOT NULL,
  PRIMARY KEY (organization_id, sandbox_id),
  CONSTRAINT sandbox_environments_sandbox_fkey FOREIGN KEY (organization_id, sandbox_id)
    REFERENCES sandboxes (organization_id, id) ON DELETE CASCADE
);
