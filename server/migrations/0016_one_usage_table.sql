-- The usage of model calls is in usage_events, and their charges are in credit_transactions, like all other usage. inference_calls
-- keeps the call itself. Its usage columns stay for servers of the version before, and are not read any more.
INSERT INTO usage_events (organization_id, source, external_id, user_id, kind, item, occurred_at, input_tokens, output_tokens,
                          cache_read_input_tokens, cache_creation_input_tokens, cost_usd, credits)
SELECT organization_id, 'gateway', id::text, user_id, 'inference', model, started_at, input_tokens, output_tokens,
       cache_read_input_tokens, cache_creation_input_tokens, cost_usd, credits
  FROM inference_calls
 WHERE credits IS NOT NULL
ON CONFLICT DO NOTHING;

INSERT INTO credit_transactions (organization_id, id, kind, reference, amount, created_at)
SELECT organization_id, id, 'charge', id::text, 0 - credits, started_at + duration_ms * interval '1 ms'
  FROM inference_calls
 WHERE credits > 0
ON CONFLICT DO NOTHING;

DROP INDEX inference_calls_user;
DROP INDEX inference_calls_charged;
