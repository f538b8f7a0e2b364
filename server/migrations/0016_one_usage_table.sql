-- oldest program: 0015
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

-- A server of the version before writes the usage into inference_calls alone. Goes with those columns.
CREATE FUNCTION copy_call_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO usage_events (organization_id, source, external_id, user_id, kind, item, occurred_at, input_tokens, output_tokens,
                            cache_read_input_tokens, cache_creation_input_tokens, cost_usd, credits)
  VALUES (NEW.organization_id, 'gateway', NEW.id::text, NEW.user_id, 'inference', NEW.model, NEW.started_at, NEW.input_tokens,
          NEW.output_tokens, NEW.cache_read_input_tokens, NEW.cache_creation_input_tokens, NEW.cost_usd, NEW.credits)
  ON CONFLICT DO NOTHING;
  IF NEW.credits > 0 THEN
    INSERT INTO credit_transactions (organization_id, id, kind, reference, amount, created_at)
    VALUES (NEW.organization_id, NEW.id, 'charge', NEW.id::text, 0 - NEW.credits, NEW.started_at + NEW.duration_ms * interval '1 ms')
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER inference_calls_copy_usage AFTER INSERT ON inference_calls
  FOR EACH ROW WHEN (NEW.credits IS NOT NULL) EXECUTE FUNCTION copy_call_usage();
