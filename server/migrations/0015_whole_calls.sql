-- oldest program: 0015
-- What a call of a model used, and what it was charged, are in its own row: one row for a call, where there were three. Its charge is
-- the ledger's entry of it, and as append-only as the others.
ALTER TABLE inference_calls
  ADD COLUMN input_tokens                bigint, -- none of these where nothing was used: it is no request that is counted
  ADD COLUMN output_tokens               bigint,
  ADD COLUMN cache_read_input_tokens     bigint,
  ADD COLUMN cache_creation_input_tokens bigint,
  ADD COLUMN cost_usd                    numeric,
  ADD COLUMN credits                     bigint, -- what it was charged
  -- One NaN would spoil every sum it is in.
  ADD CHECK (least(input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens, credits) >= 0
         AND cost_usd >= 0 AND cost_usd < 'Infinity'),
  ADD CHECK (num_nulls(input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens, cost_usd, credits) IN (0, 6));

ALTER TABLE inference_calls DISABLE TRIGGER inference_calls_append_only;
ALTER TABLE usage_events DISABLE TRIGGER usage_events_append_only;
ALTER TABLE credit_transactions DISABLE TRIGGER credit_transactions_append_only;

UPDATE inference_calls AS c
   SET input_tokens = u.input_tokens, output_tokens = u.output_tokens, cache_read_input_tokens = u.cache_read_input_tokens,
       cache_creation_input_tokens = u.cache_creation_input_tokens, cost_usd = u.cost_usd, credits = u.credits
  FROM usage_events AS u
 WHERE u.organization_id = c.organization_id AND u.source = 'gateway' AND u.external_id = c.id::text;

DELETE FROM usage_events WHERE source = 'gateway';

DELETE FROM credit_transactions AS t USING inference_calls AS c
 WHERE t.organization_id = c.organization_id AND t.kind = 'charge' AND t.reference = c.id::text;

ALTER TABLE inference_calls ENABLE TRIGGER inference_calls_append_only;
ALTER TABLE usage_events ENABLE TRIGGER usage_events_append_only;
ALTER TABLE credit_transactions ENABLE TRIGGER credit_transactions_append_only;

CREATE INDEX inference_calls_user ON inference_calls (organization_id, user_id, started_at);
CREATE INDEX inference_calls_charged ON inference_calls (organization_id, id) WHERE credits > 0;
