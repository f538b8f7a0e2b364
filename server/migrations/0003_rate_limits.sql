-- oldest program: 0002
-- Requests counted per credential (or address) and class, over all processes. A process takes several at a time, so
-- that this row is touched once in many requests. Unlogged: after a crash everybody starts with a full allowance.
CREATE UNLOGGED TABLE rate_limits (
  subject         text NOT NULL,
  class           text NOT NULL CHECK (class IN ('read', 'write', 'ingest')),
  step_started_at timestamptz(3) NOT NULL, -- when the newest step of ten seconds began
  used            integer[] NOT NULL CHECK (array_length(used, 1) = 6), -- in each of the last six steps, the newest last
  granted         integer NOT NULL, -- to whoever took last
  PRIMARY KEY (subject, class)
) WITH (fillfactor = 50);

CREATE INDEX rate_limits_step ON rate_limits (step_started_at);
