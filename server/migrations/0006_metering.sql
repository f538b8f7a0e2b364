-- oldest program: 0005
-- Metering: what was used, and what it cost.
--
-- What is appended to all the time has no foreign keys: each row would lock its organization's, and wait for its change.

-- Append-only. One call has one external id, whoever reports it: a report that arrives twice counts once, and one that
-- yields to another source does not count where that source has reported the same call.
CREATE TABLE usage_events (
  organization_id             uuid NOT NULL,
  source                      text NOT NULL, -- which part reported it
  external_id                 text NOT NULL CHECK (length(external_id) BETWEEN 1 AND 256),
  yields_to                   text,
  user_id                     uuid,
  kind                        text NOT NULL, -- what sort of thing is counted, such as inference
  item                        text NOT NULL, -- which one of these, such as the model
  occurred_at                 timestamptz(3) NOT NULL,
  input_tokens                bigint NOT NULL DEFAULT 0,
  output_tokens               bigint NOT NULL DEFAULT 0,
  cache_read_input_tokens     bigint NOT NULL DEFAULT 0,
  cache_creation_input_tokens bigint NOT NULL DEFAULT 0,
  seconds                     numeric NOT NULL DEFAULT 0,
  cost_usd                    numeric NOT NULL DEFAULT 0,
  credits                     bigint NOT NULL DEFAULT 0, -- what the ledger was charged for it
  PRIMARY KEY (organization_id, source, external_id),
  -- One NaN would spoil every sum it is in.
  CHECK (least(input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens, credits) >= 0
     AND least(seconds, cost_usd) >= 0 AND greatest(seconds, cost_usd) < 'Infinity')
);
CREATE INDEX usage_events_occurred_at ON usage_events (organization_id, kind, occurred_at);
CREATE INDEX usage_events_user ON usage_events (organization_id, user_id, kind, occurred_at);

-- The ledger, append-only. Integers, 1,000 to the US dollar: positive adds, negative takes.
CREATE TABLE credit_transactions (
  organization_id uuid NOT NULL,
  id              uuid NOT NULL,
  kind            text NOT NULL CHECK (kind IN ('adjustment', 'charge')),
  reference       text NOT NULL CHECK (length(reference) BETWEEN 1 AND 256), -- what it was for: counts once
  amount          bigint NOT NULL,
  actor_id        uuid,
  note            text,
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT credit_transactions_reference_key UNIQUE (organization_id, reference)
);

-- The ledger's amounts that are not in `credit_balances` yet. Folding moves them there in one statement, so that the
-- balance, which is both together, is exact in every snapshot.
CREATE TABLE credit_deltas (
  organization_id uuid NOT NULL,
  id              uuid NOT NULL, -- of its transaction
  amount          bigint NOT NULL,
  PRIMARY KEY (organization_id, id)
);

CREATE TABLE credit_balances (
  organization_id uuid PRIMARY KEY,
  amount          bigint NOT NULL
);

-- Held back for what runs; settling or releasing removes it.
CREATE TABLE credit_reservations (
  organization_id uuid NOT NULL REFERENCES organizations,
  reference       text NOT NULL CHECK (length(reference) BETWEEN 1 AND 256),
  amount          bigint NOT NULL CHECK (amount >= 0),
  expires_at      timestamptz(3) NOT NULL, -- whoever made it may have died: from then on it holds nothing
  PRIMARY KEY (organization_id, reference)
);

CREATE TRIGGER usage_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON usage_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER credit_transactions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON credit_transactions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
