-- oldest program: 0003
-- Answers kept for 24 hours, for callers who send a request again because they did not hear the first answer.
CREATE TABLE idempotency_keys (
  user_id       uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  request_hash  bytea NOT NULL, -- method, path and the caller's key
  body_hash     bytea NOT NULL, -- what was asked there: body and query
  call_id       uuid NOT NULL, -- the call that owns this row; one that lost it takes no effect
  created_at    timestamptz(3) NOT NULL DEFAULT now(),
  running_until timestamptz(3) NOT NULL, -- when a call that was never answered counts as lost
  took_effect   boolean NOT NULL DEFAULT false, -- set in the transaction of the call itself
  status        smallint, -- of the answer; null until there is one
  -- The answer, sealed: some hold what is shown only once.
  key_id        text,
  wrapped_key   bytea,
  ciphertext    bytea,
  PRIMARY KEY (user_id, request_hash)
);

CREATE INDEX idempotency_keys_created_at ON idempotency_keys (created_at);
