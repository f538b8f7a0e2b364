-- Requests counted per credential (or address) and class, over all processes. A process takes several at a time, so
-- that this row is touched once in many requests. Unlogged: after a crash everybody starts with a full allowance.
CREATE UNLOGGED TABLE rate_limits (
  subject           text NOT NULL,
  class             text NOT NULL CHECK (class IN ('read', 'write', 'ingest')),
  window_started_at timestamptz(3) NOT NULL,
  used              integer NOT NULL,
  used_before       integer NOT NULL, -- in the window before this one
  granted           integer NOT NULL, -- to whoever took last
  PRIMARY KEY (subject, class)
) WITH (fillfactor = 50);

CREATE INDEX rate_limits_window ON rate_limits (window_started_at);
