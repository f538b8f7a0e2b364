-- oldest program: 0019
-- A span belongs to the session that it names only where its sender owns that session.

-- Whose session it was: its deletion concerns the spans of that user and of nobody else. Two users may have had the same id one
-- after the other. Null where the owner is not known any more: such a deletion concerns no span.
ALTER TABLE session_deletions ADD COLUMN user_id uuid;
-- Deletions are kept for a day, and the audit log has the owner of each session that was deleted by itself. The sessions of a deleted
-- workspace are not in it; their spans went with the workspace.
UPDATE session_deletions AS d SET user_id = (
  SELECT (a.before ->> 'user_id')::uuid FROM audit_log AS a
   WHERE a.organization_id = d.organization_id AND a.resource = 'sessions/' || d.session_id AND a.action = 'session.deleted'
   ORDER BY a.id DESC LIMIT 1);
ALTER TABLE session_deletions DROP CONSTRAINT session_deletions_pkey;
ALTER TABLE session_deletions ADD CONSTRAINT session_deletions_key
  UNIQUE NULLS NOT DISTINCT (organization_id, workspace_id, session_id, user_id);

CREATE OR REPLACE FUNCTION forget_sessions() RETURNS trigger LANGUAGE plpgsql
  -- A plan that was made for many, and kept, would pass over all streams of all tenants for one.
  SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off
AS $$
BEGIN
  -- The end of the millisecond: rounded to the nearest, it could be earlier than a span that was received before the deletion.
  INSERT INTO session_deletions (organization_id, workspace_id, session_id, user_id, deleted_at)
  SELECT organization_id, workspace_id, id, user_id, date_trunc('milliseconds', now()) + interval '1 ms' FROM gone
  ON CONFLICT (organization_id, workspace_id, session_id, user_id) DO UPDATE SET deleted_at = excluded.deleted_at;
  PERFORM pg_notify('drydock_events', e.organization_id || '/' || e.id)
     FROM event_streams AS e JOIN gone ON e.organization_id = gone.organization_id AND e.id = gone.id
    WHERE e.watched_until > now();
  DELETE FROM event_streams AS e USING gone WHERE e.organization_id = gone.organization_id AND e.id = gone.id;
  RETURN NULL;
END $$;

-- What lists show of a trace: the spans of one sender, one session and one project within it, summed up by the statement that stores
-- them. trace_parts has no rows of its own any more. It stays for servers of the version before, which read these rows through it
-- and write into it; the trigger below turns what they write into rows of this table.
CREATE TABLE sender_parts (
  user_id           uuid NOT NULL, -- whose credential sent the spans
  first_received_at timestamptz NOT NULL,
  -- With what is needed to count the traces of a workspace from the index alone. Rows of one sender in one trace lie together.
  CONSTRAINT sender_parts_key
    UNIQUE NULLS NOT DISTINCT (organization_id, workspace_id, trace_id, user_id, session_id, project_id)
    INCLUDE (first_start, session_was_known, first_received_at),
  CONSTRAINT sender_parts_workspace_fkey FOREIGN KEY (organization_id, workspace_id)
    REFERENCES workspaces (organization_id, id) ON DELETE CASCADE
) INHERITS (trace_parts)
WITH (fillfactor = 80, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON COLUMN sender_parts.session_was_known IS
  'Whether a span came when its sender had such a session: if there is none any more, nobody sees what it said.';
-- In the order of the list.
CREATE INDEX sender_parts_first_start ON sender_parts (workspace_id, first_start DESC, trace_id);
CREATE INDEX sender_parts_session ON sender_parts (organization_id, session_id) WHERE session_id IS NOT NULL;

-- Turns all rows of trace_parts itself into rows of sender_parts, which are recounted from the spans. In three statements, each of
-- which sees more than the one before: a statement that adds spans to a part holds its row, so that none is missing once it is locked.
CREATE FUNCTION fold_trace_parts() RETURNS trigger LANGUAGE plpgsql
  -- Parts are few beside spans: each is looked up by its key, in the days on which it has spans.
  SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off SET jit = off
  SET plan_cache_mode = force_custom_plan
AS $$
BEGIN
  INSERT INTO sender_parts AS q (
    organization_id, workspace_id, trace_id, session_id, project_id, session_was_known, span_count, error_count, span_types, models,
    first_start, last_start, last_end, input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens, cost_usd,
    unpriced_count, root_has_parent, root_start, root_span_id, root_name, root_service_name, user_id, first_received_at)
  SELECT p.organization_id, p.workspace_id, p.trace_id, p.session_id, p.project_id,
         p.session_was_known AND (
           EXISTS (SELECT FROM sessions AS x WHERE x.organization_id = p.organization_id AND x.id = p.session_id
                      AND x.workspace_id IS NOT DISTINCT FROM p.workspace_id AND x.user_id = s.user_id)
           OR NOT EXISTS (SELECT FROM sessions AS x WHERE x.organization_id = p.organization_id AND x.id = p.session_id
                             AND x.workspace_id IS NOT DISTINCT FROM p.workspace_id)
             AND NOT EXISTS (SELECT FROM session_deletions AS x WHERE x.organization_id = p.organization_id
                                AND x.workspace_id = p.workspace_id AND x.session_id = p.session_id AND x.user_id <> s.user_id)),
         s.span_count, p.error_count, p.span_types, p.models, p.first_start, p.last_start, p.last_end, p.input_tokens,
         p.output_tokens, p.cache_read_input_tokens, p.cache_creation_input_tokens, p.cost_usd, p.unpriced_count,
         p.root_has_parent, p.root_start, p.root_span_id, p.root_name, p.root_service_name, s.user_id, s.first_received_at
    -- In the order of time, in which spans lie on disk.
    FROM (SELECT * FROM ONLY trace_parts ORDER BY first_start OFFSET 0) AS p
   CROSS JOIN LATERAL (
     SELECT s.user_id, count(*)::integer AS span_count, min(s.received_at) AS first_received_at FROM spans AS s
      WHERE s.organization_id = p.organization_id AND s.trace_id = p.trace_id
        AND s.start_time BETWEEN p.first_start AND p.last_start AND s.workspace_id = p.workspace_id
        AND s.session_id IS NOT DISTINCT FROM p.session_id AND s.project_id IS NOT DISTINCT FROM p.project_id
      GROUP BY s.user_id) AS s
   ORDER BY p.organization_id, p.workspace_id, p.trace_id, s.user_id, p.session_id, p.project_id
  ON CONFLICT (organization_id, workspace_id, trace_id, user_id, session_id, project_id) DO UPDATE SET
    session_was_known = q.session_was_known OR excluded.session_was_known,
    span_count = q.span_count + excluded.span_count,
    first_start = least(q.first_start, excluded.first_start),
    last_start = greatest(q.last_start, excluded.last_start);

  -- A part of one sender is right as it was copied, unless there was something of it already.
  UPDATE sender_parts AS q
     SET span_count = n.span_count, error_count = n.error_count, span_types = n.span_types, models = n.models,
         first_start = n.first_start, last_start = n.last_start, last_end = n.last_end, input_tokens = n.input_tokens,
         output_tokens = n.output_tokens, cache_read_input_tokens = n.cache_read_input_tokens,
         cache_creation_input_tokens = n.cache_creation_input_tokens, cost_usd = n.cost_usd, unpriced_count = n.unpriced_count,
         first_received_at = n.first_received_at, root_has_parent = r.has_parent, root_start = r.start_time,
         root_span_id = r.span_id, root_name = r.name, root_service_name = (
           SELECT f.service_name FROM span_sources AS f WHERE f.organization_id = q.organization_id AND f.id = r.source_id)
    FROM ONLY trace_parts AS p
    JOIN sender_parts AS k
      ON k.organization_id = p.organization_id AND k.workspace_id = p.workspace_id AND k.trace_id = p.trace_id
     AND k.session_id IS NOT DISTINCT FROM p.session_id AND k.project_id IS NOT DISTINCT FROM p.project_id
     AND k.span_count <> p.span_count
   CROSS JOIN LATERAL (
     SELECT count(*)::integer AS span_count, (count(*) FILTER (WHERE s.status_code = 2))::integer AS error_count,
            bit_or(1 << (array_position(ARRAY['span', 'llm', 'agent', 'tool', 'chain', 'retriever', 'embedding', 'reranker',
              'guardrail', 'evaluator', 'prompt'], s.span_type) - 1)) AS span_types,
            coalesce((array_agg(DISTINCT s.model COLLATE "C") FILTER (WHERE s.model IS NOT NULL))[1:50], '{}') AS models,
            min(s.start_time) AS first_start, max(s.start_time) AS last_start, max(s.end_time) AS last_end,
            coalesce(sum(s.input_tokens) FILTER (WHERE o.is_own), 0)::bigint AS input_tokens,
            coalesce(sum(s.output_tokens) FILTER (WHERE o.is_own), 0)::bigint AS output_tokens,
            coalesce(sum(s.cache_read_input_tokens) FILTER (WHERE o.is_own), 0)::bigint AS cache_read_input_tokens,
            coalesce(sum(s.cache_creation_input_tokens) FILTER (WHERE o.is_own), 0)::bigint AS cache_creation_input_tokens,
            coalesce(sum(s.cost_usd) FILTER (WHERE o.is_own), 0) AS cost_usd,
            (count(*) FILTER (WHERE o.is_own AND s.cost_usd IS NULL AND (s.input_tokens > 0 OR s.output_tokens > 0)))::integer
              AS unpriced_count,
            min(s.received_at) AS first_received_at
       FROM spans AS s CROSS JOIN LATERAL (SELECT s.span_type NOT IN ('agent', 'chain', 'tool') AS is_own) AS o
      WHERE s.organization_id = k.organization_id AND s.trace_id = k.trace_id
        AND s.start_time BETWEEN k.first_start AND k.last_start AND s.workspace_id = k.workspace_id AND s.user_id = k.user_id
        AND s.session_id IS NOT DISTINCT FROM k.session_id AND s.project_id IS NOT DISTINCT FROM k.project_id) AS n
   CROSS JOIN LATERAL (
     SELECT s.parent_span_id IS NOT NULL AS has_parent, s.start_time, s.span_id, left(s.name, 1000) AS name, s.source_id
       FROM spans AS s
      WHERE s.organization_id = k.organization_id AND s.trace_id = k.trace_id
        AND s.start_time BETWEEN k.first_start AND k.last_start AND s.workspace_id = k.workspace_id AND s.user_id = k.user_id
        AND s.session_id IS NOT DISTINCT FROM k.session_id AND s.project_id IS NOT DISTINCT FROM k.project_id
      ORDER BY s.parent_span_id IS NOT NULL, s.start_time, s.span_id LIMIT 1) AS r
   WHERE q.organization_id = k.organization_id AND q.workspace_id = k.workspace_id AND q.trace_id = k.trace_id
     AND q.user_id = k.user_id AND q.session_id IS NOT DISTINCT FROM k.session_id
     AND q.project_id IS NOT DISTINCT FROM k.project_id;

  DELETE FROM ONLY trace_parts;
  RETURN NULL;
END $$;
CREATE TRIGGER trace_parts_fold AFTER INSERT ON trace_parts FOR EACH STATEMENT EXECUTE FUNCTION fold_trace_parts();

-- Statements that store spans wait until this is committed; the rows that are there then are folded by an insertion of none.
LOCK TABLE trace_parts IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO trace_parts SELECT * FROM ONLY trace_parts WHERE false;

-- A call of a model through the gateway names the span in whose context it was made. That may be the span of an HTTP client within
-- the span of the call, or a span around it. So the usage of a span has its parent, and the parents of spans that gateway calls
-- name are kept, since usage stays when spans are forgotten.
ALTER TABLE span_usage ADD COLUMN parent_span_id bytea;
CREATE TABLE inference_call_parents (
  organization_id uuid NOT NULL,
  trace_id        bytea NOT NULL,
  span_id         bytea NOT NULL, -- the parent of a span that a call of the gateway names
  user_id         uuid NOT NULL,  -- whose call and span it was: nobody's usage is left out for the call of another
  PRIMARY KEY (organization_id, trace_id, span_id, user_id)
);
