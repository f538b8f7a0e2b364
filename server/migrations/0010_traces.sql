-- oldest program: 0009
-- Traces: spans as OpenTelemetry sends them, and what lists show of the traces that they make up.
--
-- Spans lie in partitions by the day on which they began, made ahead while the platform runs; what has no day of its own lies
-- in the default one until it gets it (see docs/decisions/traces.md). The time is in the key because a partition's key must be:
-- a span that is sent again has the same.
CREATE TABLE spans (
  organization_id             uuid NOT NULL,
  trace_id                    bytea NOT NULL CHECK (octet_length(trace_id) = 16),
  start_time                  timestamptz NOT NULL,
  span_id                     bytea NOT NULL CHECK (octet_length(span_id) = 8),
  start_ns                    smallint NOT NULL, -- nanoseconds beyond the microsecond
  end_time                    timestamptz NOT NULL,
  end_ns                      smallint NOT NULL,
  parent_span_id              bytea,
  workspace_id                uuid NOT NULL,
  -- What refers to a project or a session that is deleted refers to none: nothing is rewritten for it.
  project_id                  uuid,
  session_id                  uuid, -- what the span says its conversation is, where that has the form of a session's id
  user_id                     uuid NOT NULL, -- whose credential sent it
  source_id                   uuid NOT NULL, -- in span_sources
  name                        text NOT NULL,
  kind                        smallint NOT NULL, -- as in OTLP
  status_code                 smallint NOT NULL, -- as in OTLP; 2 is an error
  status_message              text,
  trace_state                 text,
  flags                       bigint NOT NULL, -- 32 bits without a sign
  -- As sent, in JSON: see traces/otlp/value-json.ts. As text, since PostgreSQL would parse it only to find that it is JSON.
  attributes                  text NOT NULL,
  events                      text,
  links                       text,
  dropped_attributes_count    bigint NOT NULL,
  dropped_events_count        bigint NOT NULL,
  dropped_links_count         bigint NOT NULL,
  -- What the conventions of generative AI say, whichever of them the span follows.
  span_type                   text NOT NULL,
  operation                   text,
  provider                    text,
  model                       text,
  agent_name                  text,
  tool_name                   text,
  conversation_id             text,
  input_tokens                bigint, -- cached ones included
  output_tokens               bigint,
  cache_read_input_tokens     bigint,
  cache_creation_input_tokens bigint,
  cost_usd                    numeric,
  -- Names, and the beginnings of what was said, without case, with U+FFFF between them.
  search_text                 text COLLATE "C" NOT NULL,
  size_bytes                  integer NOT NULL, -- a page for a reader is bounded by bytes without reading them
  received_at                 timestamptz NOT NULL DEFAULT now(),
  -- The pages of a trace are in this order.
  PRIMARY KEY (organization_id, trace_id, start_time, span_id)
) PARTITION BY RANGE (start_time);
CREATE INDEX spans_children ON spans (organization_id, trace_id, parent_span_id, start_time, span_id);
-- Who makes a day's partition has PostgreSQL look through all that the default one holds. What says that it began when no span
-- did, as those of a clock that was never set, is known not to be of that day and is not looked at: hence the checks.
CREATE TABLE spans_default PARTITION OF spans DEFAULT PARTITION BY RANGE (start_time);
-- Each partition is made with this setting. Without it PostgreSQL compresses rows of more than 2 kB, which takes it longer than
-- all the rest of storing them; so it is left to those that would fill a page.
CREATE TABLE spans_default_near PARTITION OF spans_default
  FOR VALUES FROM ('2020-01-01 00:00:00+00') TO ('2100-01-01 00:00:00+00') WITH (toast_tuple_target = 8160);
CREATE TABLE spans_default_early PARTITION OF spans_default (CHECK (start_time < '2020-01-01 00:00:00+00'))
  FOR VALUES FROM (MINVALUE) TO ('2020-01-01 00:00:00+00') WITH (toast_tuple_target = 8160);
CREATE TABLE spans_default_late PARTITION OF spans_default (CHECK (start_time >= '2100-01-01 00:00:00+00'))
  FOR VALUES FROM ('2100-01-01 00:00:00+00') TO (MAXVALUE) WITH (toast_tuple_target = 8160);
-- Finds the days that have earned a partition.
CREATE INDEX spans_default_start_time ON spans_default_near (start_time);
-- Finds what was kept for long enough: what a clock says that was wrong says nothing of that.
CREATE INDEX spans_default_received_at ON spans_default (organization_id, received_at);
-- A day that is too old for everybody waits here, where nobody reads it, until the traces that had spans in it are recounted.
CREATE SCHEMA expired_spans;

-- Where spans come from: a resource and an instrumentation scope, kept once for all spans that share them.
CREATE TABLE span_sources (
  organization_id uuid NOT NULL,
  id              uuid NOT NULL, -- of its content
  service_name    text,
  resource        json NOT NULL, -- {attributes, dropped_attributes_count, schema_url}
  scope           json NOT NULL, -- {name, version, attributes, dropped_attributes_count, schema_url}
  last_used_at    timestamptz(3) NOT NULL DEFAULT now(), -- to the day; forgotten when its spans are
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX span_sources_last_used_at ON span_sources (last_used_at);

-- What lists show of a trace: the spans of one session and one project within it, summed up by the statement that stores
-- them. A trace is the parts of it that the reader may see.
CREATE TABLE trace_parts (
  organization_id             uuid NOT NULL,
  workspace_id                uuid NOT NULL,
  trace_id                    bytea NOT NULL,
  session_id                  uuid,
  project_id                  uuid,
  -- Whether a span came when there was such a session: if there is none any more, nobody sees what it said.
  session_was_known           boolean NOT NULL,
  span_count                  integer NOT NULL,
  error_count                 integer NOT NULL,
  span_types                  integer NOT NULL, -- a bit for each that occurs: traces/span-types.ts
  models                      text[] COLLATE "C" NOT NULL, -- in order, none twice: the first fifty
  first_start                 timestamptz NOT NULL,
  last_start                  timestamptz NOT NULL,
  last_end                    timestamptz NOT NULL,
  input_tokens                bigint NOT NULL,
  output_tokens               bigint NOT NULL,
  cache_read_input_tokens     bigint NOT NULL,
  cache_creation_input_tokens bigint NOT NULL,
  cost_usd                    numeric NOT NULL,
  unpriced_count              integer NOT NULL, -- spans with tokens and without a cost
  -- Of the first span without a parent, or else of the first span.
  root_has_parent             boolean NOT NULL,
  root_start                  timestamptz NOT NULL,
  root_span_id                bytea NOT NULL,
  root_name                   text NOT NULL, -- the beginning of it
  root_service_name           text,
  -- With what is needed to count the traces of a workspace from the index alone.
  CONSTRAINT trace_parts_key UNIQUE NULLS NOT DISTINCT (organization_id, workspace_id, trace_id, session_id, project_id)
    INCLUDE (first_start, session_was_known),
  CONSTRAINT trace_parts_workspace_fkey FOREIGN KEY (organization_id, workspace_id)
    REFERENCES workspaces (organization_id, id) ON DELETE CASCADE
)
-- Most are written several times. Vacuumed sooner than by default, after a fiftieth is new and not after a fifth: what counts the
-- traces of a workspace from an index has to look up every row that was not vacuumed since.
WITH (fillfactor = 80, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05);
-- In the order of the list.
CREATE INDEX trace_parts_first_start ON trace_parts (workspace_id, first_start DESC, trace_id);
CREATE INDEX trace_parts_session ON trace_parts (organization_id, session_id) WHERE session_id IS NOT NULL;
