-- oldest program: 0028
-- Sandboxes whose programs reach the platform: what they may use of it, what they may spend, and where their model calls are recorded.

ALTER TABLE runtimes
  -- Set for ephemeral runtimes only: the session that records the calls of its sandbox, and the one model that it may call.
  ADD COLUMN recorded_session_id uuid,
  ADD COLUMN callable_model text;

ALTER TABLE sandboxes
  -- As configured when the sandbox started.
  ADD COLUMN platform_access text NOT NULL DEFAULT 'none' CHECK (platform_access IN ('none', 'inference', 'full')),
  ADD COLUMN spend_limit_usd numeric CHECK (spend_limit_usd >= 0);

-- What the model calls of a sandbox have cost, counted with the calls.
CREATE TABLE sandbox_spending (
  organization_id uuid NOT NULL,
  sandbox_id      uuid NOT NULL,
  cost_usd        numeric NOT NULL CHECK (cost_usd >= 0 AND cost_usd < 'Infinity'),
  PRIMARY KEY (organization_id, sandbox_id)
);

ALTER TABLE inference_calls ADD COLUMN sandbox_id uuid; -- the sandbox that made the call

-- Whether prompts and responses of recorded calls are stored, or only that there were some.
ALTER TABLE workspaces ADD COLUMN record_content boolean NOT NULL DEFAULT true;

-- How far a session follows the conversation of its model calls. A request continues the session whose digest is among the digests of
-- the beginnings of its messages; one that continues none opens a session of its own beside the root.
CREATE TABLE session_recordings (
  organization_id   uuid NOT NULL,
  session_id        uuid NOT NULL,
  root_session_id   uuid NOT NULL,
  -- The digest holds for the transcript as it was then; a root session that was changed since is read and digested again.
  last_seq          integer NOT NULL,
  rewind_count      integer NOT NULL,
  message_count     integer NOT NULL, -- of the current era, without an interrupted response at its end
  digest            bytea NOT NULL CHECK (octet_length(digest) = 32),
  prompt_digest     bytea NOT NULL CHECK (octet_length(prompt_digest) = 32), -- of the request for the last response: messages and parameters
  context_digest    bytea NOT NULL CHECK (octet_length(context_digest) = 32), -- of model, system prompt and tools
  interrupted_seq   integer, -- the response at the end was cut off
  updated_at        timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (organization_id, session_id),
  FOREIGN KEY (organization_id, session_id) REFERENCES sessions (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX session_recordings_root ON session_recordings (organization_id, root_session_id, digest);
