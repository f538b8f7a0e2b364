-- oldest program: 0008
-- Sessions: what was said and done in a chat, an attempt of an evaluation, a trial, a training example.
--
-- A writer takes the next numbers of a transcript under the lock of the session's row, so no number becomes visible before
-- a smaller one, and none is missing. `changed_in` is the transaction that last wrote a row: who keeps a copy asks for what a
-- snapshot of theirs did not see (see docs/decisions/sessions.md).
CREATE FUNCTION note_transaction() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed_in := pg_current_xact_id();
  RETURN NEW;
END $$;

CREATE TABLE session_groups (
  organization_id            uuid NOT NULL,
  id                         uuid NOT NULL,
  workspace_id               uuid NOT NULL,
  kind                       text NOT NULL CHECK (kind IN ('worker_run', 'evaluation_item', 'workflow')),
  status                     text CHECK (status IN ('running', 'completed', 'failed', 'cancelled')),
  title                      text,
  worker                     text,
  capability                 text,
  capability_version         text,
  evaluation_id              uuid,
  evaluation_item_id         uuid,
  evaluation_item_attempt_id uuid,
  runtime_id                 uuid,
  started_at                 timestamptz(3),
  completed_at               timestamptz(3),
  created_by                 uuid NOT NULL REFERENCES users,
  created_at                 timestamptz(3) NOT NULL DEFAULT now(),
  updated_at                 timestamptz(3) NOT NULL DEFAULT now(),
  changed_in                 xid8 NOT NULL DEFAULT pg_current_xact_id(),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT session_groups_workspace_fkey FOREIGN KEY (organization_id, workspace_id)
    REFERENCES workspaces (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX session_groups_changed ON session_groups (workspace_id, changed_in);

CREATE TABLE sessions (
  organization_id                        uuid NOT NULL,
  id                                     uuid NOT NULL, -- made by the client
  workspace_id                           uuid NOT NULL,
  user_id                                uuid NOT NULL REFERENCES users,
  model                                  text COLLATE "C" NOT NULL,
  agent                                  text COLLATE "C",
  title                                  text COLLATE "C",
  origin                                 text NOT NULL
                                           CHECK (origin IN ('user', 'worker', 'eval', 'optimization', 'training', 'world')),
  visibility                             text NOT NULL CHECK (visibility IN ('private', 'workspace')),
  labels                                 jsonb NOT NULL DEFAULT '{}', -- key to a list of values, none of them twice
  group_id                               uuid,
  -- What refers to a project that is deleted refers to none: nothing is rewritten for it.
  project_id                             uuid,
  runtime_id                             uuid,
  archived_at                            timestamptz(3),
  frozen_at                              timestamptz(3),
  frozen_by                              text CHECK (frozen_by IN ('evaluation', 'user')),
  -- The transcript. Its messages are numbered 1 to last_seq; those up to compacted_up_to are of eras before this one.
  claimed_message_count                  integer, -- the client's figure; null since messages are stored
  last_seq                               integer NOT NULL DEFAULT 0,
  compacted_up_to                        integer NOT NULL DEFAULT 0,
  compaction_count                       integer NOT NULL DEFAULT 0,
  rewind_count                           integer NOT NULL DEFAULT 0,
  last_message_at                        timestamptz(3),
  preview_text                           text, -- the beginning of the first message of a user
  last_generation_input_tokens           bigint,
  -- Sums over all messages, and over those up to compacted_up_to. A generation without a cost is unpriced.
  input_tokens                           bigint NOT NULL DEFAULT 0,
  output_tokens                          bigint NOT NULL DEFAULT 0,
  cache_read_input_tokens                bigint NOT NULL DEFAULT 0,
  cache_creation_input_tokens            bigint NOT NULL DEFAULT 0,
  tool_call_count                        integer NOT NULL DEFAULT 0,
  cost_usd                               numeric NOT NULL DEFAULT 0,
  unpriced_count                         integer NOT NULL DEFAULT 0,
  compacted_input_tokens                 bigint NOT NULL DEFAULT 0,
  compacted_output_tokens                bigint NOT NULL DEFAULT 0,
  compacted_cache_read_input_tokens      bigint NOT NULL DEFAULT 0,
  compacted_cache_creation_input_tokens  bigint NOT NULL DEFAULT 0,
  compacted_tool_call_count              integer NOT NULL DEFAULT 0,
  compacted_cost_usd                     numeric NOT NULL DEFAULT 0,
  compacted_unpriced_count               integer NOT NULL DEFAULT 0,
  -- Title and preview without case, with U+FFFF between them.
  search_text                            text COLLATE "C" NOT NULL DEFAULT '',
  tools                                  json, -- definitions of the tools that the agent had
  imported                               json, -- what a document said that has no place of its own
  created_at                             timestamptz(3) NOT NULL DEFAULT now(),
  updated_at                             timestamptz(3) NOT NULL DEFAULT now(),
  changed_in                             xid8 NOT NULL DEFAULT pg_current_xact_id(),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT sessions_workspace_fkey FOREIGN KEY (organization_id, workspace_id)
    REFERENCES workspaces (organization_id, id) ON DELETE CASCADE,
  CONSTRAINT sessions_group_fkey FOREIGN KEY (organization_id, group_id) REFERENCES session_groups (organization_id, id)
);
-- By workspace alone, which is of one organization: led by that, they would seem to the planner as good for one session as
-- its key, as long as it knows nothing of the table.
CREATE INDEX sessions_changed ON sessions (workspace_id, changed_in);
CREATE INDEX sessions_updated_at ON sessions (workspace_id, updated_at, id);
CREATE INDEX sessions_group ON sessions (organization_id, group_id) WHERE group_id IS NOT NULL;

-- Who keeps a copy of sessions hears here of those that are gone, of each when it went last: an id may come back. Forgotten
-- after a while.
CREATE TABLE session_deletions (
  organization_id uuid NOT NULL,
  workspace_id    uuid NOT NULL,
  session_id      uuid NOT NULL,
  changed_in      xid8 NOT NULL DEFAULT pg_current_xact_id(),
  deleted_at      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, workspace_id, session_id)
);
CREATE INDEX session_deletions_changed ON session_deletions (workspace_id, changed_in);
CREATE INDEX session_deletions_deleted_at ON session_deletions (deleted_at);

CREATE TABLE session_messages (
  organization_id             uuid NOT NULL,
  session_id                  uuid NOT NULL,
  seq                         integer NOT NULL,
  workspace_id                uuid NOT NULL, -- the session's
  id                          text COLLATE "C" NOT NULL,
  parent_id                   text,
  role                        text NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
  content                     text NOT NULL,
  tool_calls                  json,
  tool_call_count             integer NOT NULL DEFAULT 0,
  tool_call_id                text,
  model                       text, -- of the session when the message was stored
  metadata                    json,
  -- All null, but for the cost, or none.
  input_tokens                bigint,
  output_tokens               bigint,
  cache_read_input_tokens     bigint,
  cache_creation_input_tokens bigint,
  cost_usd                    numeric,
  search_text                 text COLLATE "C" NOT NULL, -- the content without case
  rewind_count                integer NOT NULL DEFAULT 0, -- the session's then: tells it from who had its number before
  size_bytes                  integer NOT NULL -- a page for a reader is bounded by bytes without reading them
                                GENERATED ALWAYS AS (octet_length(content) + coalesce(octet_length(tool_calls::text), 0)
                                                     + coalesce(octet_length(metadata::text), 0)) STORED,
  created_at                  timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, session_id, seq),
  CONSTRAINT session_messages_id_key UNIQUE (organization_id, session_id, id),
  CONSTRAINT session_messages_session_fkey FOREIGN KEY (organization_id, session_id)
    REFERENCES sessions (organization_id, id) ON DELETE CASCADE
);

-- Each begins an era: what is up to up_to_seq gives way to the summary, a message like any other. Of an era e are the
-- messages with exactly e compactions below them.
CREATE TABLE session_compactions (
  organization_id uuid NOT NULL,
  session_id      uuid NOT NULL,
  era             integer NOT NULL,
  up_to_seq       integer NOT NULL,
  summary_seq     integer NOT NULL,
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, session_id, up_to_seq),
  CONSTRAINT session_compactions_summary_key UNIQUE (organization_id, session_id, summary_seq),
  CONSTRAINT session_compactions_session_fkey FOREIGN KEY (organization_id, session_id)
    REFERENCES sessions (organization_id, id) ON DELETE CASCADE
);

-- The system prompt in force from a message on, until the next.
CREATE TABLE session_prompts (
  organization_id uuid NOT NULL,
  session_id      uuid NOT NULL,
  from_seq        integer NOT NULL,
  content         text NOT NULL,
  PRIMARY KEY (organization_id, session_id, from_seq),
  CONSTRAINT session_prompts_session_fkey FOREIGN KEY (organization_id, session_id)
    REFERENCES sessions (organization_id, id) ON DELETE CASCADE
);

CREATE TRIGGER session_groups_note_transaction BEFORE INSERT OR UPDATE ON session_groups
  FOR EACH ROW EXECUTE FUNCTION note_transaction();
CREATE TRIGGER sessions_note_transaction BEFORE INSERT OR UPDATE ON sessions
  FOR EACH ROW EXECUTE FUNCTION note_transaction();
CREATE TRIGGER session_deletions_note_transaction BEFORE INSERT OR UPDATE ON session_deletions
  FOR EACH ROW EXECUTE FUNCTION note_transaction();

-- However a session goes, with its workspace or alone: its events go with it, and who reads them or keeps a copy is told.
CREATE FUNCTION forget_sessions() RETURNS trigger LANGUAGE plpgsql
  -- A plan that was made for many, and kept, would pass over all streams of all tenants for one.
  SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off
AS $$
BEGIN
  INSERT INTO session_deletions (organization_id, workspace_id, session_id)
  SELECT organization_id, workspace_id, id FROM gone
  ON CONFLICT (organization_id, workspace_id, session_id) DO UPDATE SET deleted_at = excluded.deleted_at;
  PERFORM pg_notify('drydock_events', e.organization_id || '/' || e.id)
     FROM event_streams AS e JOIN gone ON e.organization_id = gone.organization_id AND e.id = gone.id
    WHERE e.watched_until > now();
  DELETE FROM event_streams AS e USING gone WHERE e.organization_id = gone.organization_id AND e.id = gone.id;
  RETURN NULL;
END $$;
CREATE TRIGGER sessions_forget AFTER DELETE ON sessions REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION forget_sessions();
