-- Metering: what was used, and what it cost. Both append-only; sums are folded in the background and stay exact.
CREATE TABLE usage_events (
  organization_id uuid NOT NULL REFERENCES organizations,
  source          text NOT NULL, -- which part reported it
  external_id     text NOT NULL, -- that part's own id: a report that arrives twice counts once
  id              uuid NOT NULL,
  user_id         uuid REFERENCES users,
  kind            text NOT NULL, -- what is counted, such as a model or sandbox seconds
  quantities      jsonb NOT NULL, -- numbers by name
  occurred_at     timestamptz(3) NOT NULL,
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, source, external_id)
);

CREATE INDEX usage_events_occurred_at ON usage_events (organization_id, occurred_at);
CREATE INDEX usage_events_user ON usage_events (organization_id, user_id, occurred_at);

-- Integers, 1,000 to the US dollar. Positive adds, negative takes.
CREATE TABLE credit_transactions (
  organization_id uuid NOT NULL REFERENCES organizations,
  id              uuid NOT NULL,
  amount          bigint NOT NULL,
  kind            text NOT NULL,
  reference       text NOT NULL, -- what it was for: settled once
  actor_id        uuid REFERENCES users,
  note            text,
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT credit_transactions_reference_key UNIQUE (organization_id, kind, reference)
);

-- Held back for what runs now; settling or releasing removes it.
CREATE TABLE credit_reservations (
  organization_id uuid NOT NULL REFERENCES organizations,
  reference       text NOT NULL,
  amount          bigint NOT NULL CHECK (amount >= 0),
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  expires_at      timestamptz(3) NOT NULL, -- whoever made it may have died
  PRIMARY KEY (organization_id, reference)
);

-- The sum of the ledger up to a point; the balance is this and every transaction that is not in it yet.
CREATE TABLE credit_balances (
  organization_id uuid NOT NULL REFERENCES organizations,
  id              uuid NOT NULL,
  amount          bigint NOT NULL,
  PRIMARY KEY (organization_id, id)
);

CREATE TRIGGER usage_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON usage_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER credit_transactions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON credit_transactions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
