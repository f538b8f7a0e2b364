-- oldest program: 0004
-- Signing in a program that has no browser: it shows a short code, which a signed-in user approves elsewhere.
CREATE TABLE device_codes (
  id               uuid PRIMARY KEY,
  device_code_hash bytea NOT NULL CONSTRAINT device_codes_device_code_key UNIQUE,
  user_code        text NOT NULL CONSTRAINT device_codes_user_code_key UNIQUE,
  created_at       timestamptz(3) NOT NULL DEFAULT now(),
  expires_at       timestamptz(3) NOT NULL,
  user_id          uuid REFERENCES users ON DELETE CASCADE, -- who approved it
  -- With what they approved it: the code gives nothing once that has been deleted or ended.
  api_key_id       uuid REFERENCES api_keys ON DELETE CASCADE,
  login_id         uuid REFERENCES logins ON DELETE CASCADE,
  approved_at      timestamptz(3),
  used_at          timestamptz(3)
);

CREATE INDEX device_codes_expires_at ON device_codes (expires_at);
CREATE INDEX device_codes_user_id ON device_codes (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX device_codes_api_key_id ON device_codes (api_key_id) WHERE api_key_id IS NOT NULL;
CREATE INDEX device_codes_login_id ON device_codes (login_id) WHERE login_id IS NOT NULL;

-- Made by the first start or by a reset of the owner, and ended by the next reset; keys that users make stay.
ALTER TABLE api_keys ADD COLUMN issued_by_operator boolean NOT NULL DEFAULT false;
-- The first start makes its user and its key in one transaction.
UPDATE api_keys k SET issued_by_operator = true
  FROM users u
 WHERE u.id = k.user_id AND u.is_platform_admin AND k.created_at = u.created_at;

-- For forgetting what has ended. Of a login's refresh tokens only the last is unused: when that one has expired, the login has ended.
CREATE INDEX refresh_tokens_last_expires_at ON refresh_tokens (expires_at) WHERE used_at IS NULL;
CREATE INDEX logins_revoked_at ON logins (revoked_at) WHERE revoked_at IS NOT NULL;
CREATE INDEX invitations_open ON invitations (expires_at) WHERE accepted_at IS NULL;
