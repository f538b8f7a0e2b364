-- oldest program: 0012
-- Inference: whose models can be called, what they cost, and every call that was made.

-- Where an organization's models are. Deleted and made anew by whoever replaces the list.
CREATE TABLE inference_providers (
  organization_id uuid NOT NULL REFERENCES organizations,
  name            text NOT NULL, -- what comes before the first slash in the ids of its models
  kind            text NOT NULL CHECK (kind IN ('openai_compatible', 'anthropic', 'google')),
  base_url        text NOT NULL,
  timeout_seconds integer NOT NULL CHECK (timeout_seconds BETWEEN 1 AND 3600), -- until the first byte, and between any two
  -- The key that it is called with, sealed; none for one that asks for none.
  key_id          text,
  wrapped_key     bytea,
  ciphertext      bytea,
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  updated_at      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, name),
  CHECK ((key_id IS NULL) = (ciphertext IS NULL) AND (key_id IS NULL) = (wrapped_key IS NULL))
);

-- The price list, in US dollars per million tokens. What is not in it cannot be called.
CREATE TABLE inference_models (
  organization_id      uuid NOT NULL,
  provider             text NOT NULL,
  name                 text NOT NULL, -- as the provider calls it
  input_price          numeric NOT NULL,
  output_price         numeric NOT NULL,
  cache_read_price     numeric NOT NULL,
  cache_creation_price numeric NOT NULL,
  max_output_tokens    integer NOT NULL, -- what is reserved for where the caller sets no limit
  PRIMARY KEY (organization_id, provider, name),
  CONSTRAINT inference_models_provider_fkey FOREIGN KEY (organization_id, provider)
    REFERENCES inference_providers (organization_id, name) ON DELETE CASCADE,
  CHECK (least(input_price, output_price, cache_read_price, cache_creation_price) >= 0
     AND greatest(input_price, output_price, cache_read_price, cache_creation_price) < 'Infinity'
     AND max_output_tokens > 0)
);

-- Every call through the gateway, written once, when it has ended. How many tokens it took is in usage_events under the same
-- id. Appended to all the time, hence no foreign keys.
CREATE TABLE inference_calls (
  organization_id uuid NOT NULL,
  id              uuid NOT NULL,
  user_id         uuid NOT NULL,
  model           text NOT NULL, -- provider/name
  is_streamed     boolean NOT NULL,
  status          text NOT NULL CHECK (status IN ('completed', 'failed', 'cancelled')),
  error_type      text, -- as it was answered
  is_estimated    boolean NOT NULL, -- the provider did not say how many tokens there were
  -- What the caller said that it belongs to.
  session_id      uuid,
  trace_id        bytea CHECK (octet_length(trace_id) = 16),
  span_id         bytea CHECK (octet_length(span_id) = 8),
  started_at      timestamptz(3) NOT NULL,
  first_byte_ms   integer, -- none where nothing came
  duration_ms     integer NOT NULL,
  PRIMARY KEY (organization_id, id)
);
-- A span that a call names is the same call, and is not counted as another.
CREATE INDEX inference_calls_span ON inference_calls (organization_id, trace_id, span_id) WHERE span_id IS NOT NULL;
CREATE INDEX inference_calls_session ON inference_calls (organization_id, session_id, started_at) WHERE session_id IS NOT NULL;

-- The call of the gateway that a span tells of, where its id has the form of one.
ALTER TABLE spans ADD COLUMN inference_call_id uuid;

-- What spans say of calls of models; stays when they are forgotten. The key finds a user's calls of a time, and is all that
-- keeps a call from being counted twice.
CREATE TABLE span_usage (
  organization_id             uuid NOT NULL,
  user_id                     uuid NOT NULL,
  start_time                  timestamptz NOT NULL,
  trace_id                    bytea NOT NULL,
  span_id                     bytea NOT NULL,
  inference_call_id           uuid,
  model                       text,
  input_tokens                bigint, -- cached ones included
  output_tokens               bigint,
  cost_usd                    numeric,
  PRIMARY KEY (organization_id, user_id, start_time, trace_id, span_id)
);

CREATE TRIGGER inference_calls_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON inference_calls
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER span_usage_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON span_usage
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
