-- oldest program: 0001
-- Accounts: who may sign in, the organizations they belong to, and what lies inside those.
--
-- Global tables (no organization owns their rows): users, identities, logins, refresh_tokens, login_attempts,
-- api_keys, user_secrets, organizations, account_audit_log. Every other table is a tenant's: organization_id leads its primary
-- key, its unique indexes and its foreign keys to other tenant tables.

CREATE TABLE users (
  id                      uuid PRIMARY KEY,
  username                text NOT NULL CONSTRAINT users_username_key UNIQUE
                            CHECK (username ~ '^[a-z0-9][a-z0-9-]{1,37}[a-z0-9]$'),
  email_address           text NOT NULL CONSTRAINT users_email_address_key UNIQUE,
  first_name              text,
  last_name               text,
  email_opt_in            boolean NOT NULL DEFAULT false,
  onboarding_completed_at timestamptz(3),
  is_platform_admin       boolean NOT NULL DEFAULT false,
  suspended_at            timestamptz(3),
  created_at              timestamptz(3) NOT NULL DEFAULT now(),
  updated_at              timestamptz(3) NOT NULL DEFAULT now()
);

-- A way to prove that one is a user: a password today, a single sign-on subject tomorrow.
CREATE TABLE identities (
  provider      text NOT NULL CHECK (provider IN ('password')),
  subject       text NOT NULL,
  user_id       uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  password_hash text,
  created_at    timestamptz(3) NOT NULL DEFAULT now(),
  updated_at    timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (provider, subject)
);
CREATE INDEX identities_user_id ON identities (user_id);

-- One login is one family of refresh tokens; ending it ends its access tokens too.
CREATE TABLE logins (
  id         uuid PRIMARY KEY,
  user_id    uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  revoked_at timestamptz(3)
);
CREATE INDEX logins_user_id ON logins (user_id);

CREATE TABLE refresh_tokens (
  token_hash bytea PRIMARY KEY,
  login_id   uuid NOT NULL REFERENCES logins ON DELETE CASCADE,
  expires_at timestamptz(3) NOT NULL,
  used_at    timestamptz(3)
);
CREATE INDEX refresh_tokens_login_id ON refresh_tokens (login_id);

-- Appended before a password is looked at and removed when it was right, so that parallel guesses count too.
CREATE TABLE login_attempts (
  id           uuid PRIMARY KEY,
  subject      text NOT NULL,
  address      text NOT NULL,
  attempted_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX login_attempts_subject ON login_attempts (subject, attempted_at);
CREATE INDEX login_attempts_address ON login_attempts (address, attempted_at);

CREATE TABLE organizations (
  id                              uuid PRIMARY KEY,
  key                             text NOT NULL CONSTRAINT organizations_key_key UNIQUE,
  name                            text NOT NULL,
  description                     text,
  is_active                       boolean NOT NULL DEFAULT true,
  max_members                     integer CHECK (max_members >= 1),
  max_sandbox_runtime_seconds     integer CHECK (max_sandbox_runtime_seconds >= 60),
  default_sandbox_runtime_seconds integer CHECK (default_sandbox_runtime_seconds >= 60),
  max_concurrent_sandboxes        integer CHECK (max_concurrent_sandboxes >= 0),
  trace_retention_days            integer NOT NULL DEFAULT 30 CHECK (trace_retention_days >= 1),
  created_at                      timestamptz(3) NOT NULL DEFAULT now(),
  updated_at                      timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE memberships (
  organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  id              uuid NOT NULL,
  user_id         uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  role            text NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT memberships_user_key UNIQUE (organization_id, user_id)
);
-- "My organizations" starts from the user.
CREATE INDEX memberships_user_id ON memberships (user_id, organization_id);

-- The token carries its organization, so that it is found by a tenant's own index.
CREATE TABLE invitations (
  organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  id              uuid NOT NULL,
  token_hash      bytea NOT NULL,
  email_address   text NOT NULL,
  role            text NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  created_by      uuid NOT NULL REFERENCES users,
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  expires_at      timestamptz(3) NOT NULL,
  accepted_at     timestamptz(3),
  accepted_by     uuid REFERENCES users,
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, token_hash)
);
CREATE INDEX invitations_email_address ON invitations (organization_id, email_address);

CREATE TABLE workspaces (
  organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  id              uuid NOT NULL,
  key             text NOT NULL,
  name            text NOT NULL,
  description     text,
  is_default      boolean NOT NULL DEFAULT false,
  is_restricted   boolean NOT NULL DEFAULT false,
  created_by      uuid NOT NULL REFERENCES users,
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  updated_at      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT workspaces_key_key UNIQUE (organization_id, key)
);
CREATE UNIQUE INDEX workspaces_one_default ON workspaces (organization_id) WHERE is_default;

-- Leaving the organization leaves its workspaces.
CREATE TABLE workspace_members (
  organization_id uuid NOT NULL,
  workspace_id    uuid NOT NULL,
  user_id         uuid NOT NULL,
  role            text NOT NULL CHECK (role IN ('admin', 'contributor', 'reader')),
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, workspace_id, user_id),
  CONSTRAINT workspace_members_workspace_fkey FOREIGN KEY (organization_id, workspace_id)
    REFERENCES workspaces (organization_id, id) ON DELETE CASCADE,
  CONSTRAINT workspace_members_member_fkey FOREIGN KEY (organization_id, user_id)
    REFERENCES memberships (organization_id, user_id) ON DELETE CASCADE
);
CREATE INDEX workspace_members_user ON workspace_members (organization_id, user_id);

CREATE TABLE projects (
  organization_id uuid NOT NULL,
  id              uuid NOT NULL,
  workspace_id    uuid NOT NULL,
  key             text NOT NULL,
  name            text NOT NULL,
  description     text,
  is_default      boolean NOT NULL DEFAULT false,
  created_by      uuid NOT NULL REFERENCES users,
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  updated_at      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT projects_key_key UNIQUE (organization_id, workspace_id, key),
  CONSTRAINT projects_workspace_fkey FOREIGN KEY (organization_id, workspace_id)
    REFERENCES workspaces (organization_id, id) ON DELETE CASCADE
);

-- Only a digest of the key is kept. A key may be narrowed to an organization, a workspace, some scopes.
CREATE TABLE api_keys (
  id                uuid PRIMARY KEY,
  user_id           uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  key_hash          bytea NOT NULL CONSTRAINT api_keys_key_hash_key UNIQUE,
  masked_key        text NOT NULL,
  name              text NOT NULL,
  organization_id   uuid REFERENCES organizations ON DELETE CASCADE,
  workspace_id      uuid,
  allowed_scopes    text[],
  allow_self_revoke boolean NOT NULL DEFAULT false,
  created_at        timestamptz(3) NOT NULL DEFAULT now(),
  expires_at        timestamptz(3),
  last_used_at      timestamptz(3),
  CHECK (workspace_id IS NULL OR organization_id IS NOT NULL),
  CONSTRAINT api_keys_workspace_fkey FOREIGN KEY (organization_id, workspace_id)
    REFERENCES workspaces (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX api_keys_user_id ON api_keys (user_id, created_at);
CREATE INDEX api_keys_workspace ON api_keys (organization_id, workspace_id);

-- A user's secrets, sealed: the value never leaves the server again but into what the user runs.
CREATE TABLE user_secrets (
  id           uuid PRIMARY KEY,
  user_id      uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  name         text NOT NULL,
  masked_value text NOT NULL,
  key_id       text NOT NULL,
  wrapped_key  bytea NOT NULL,
  ciphertext   bytea NOT NULL,
  created_at   timestamptz(3) NOT NULL DEFAULT now(),
  updated_at   timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT user_secrets_name_key UNIQUE (user_id, name)
);

-- Append-only: a row outlives what it tells of.
CREATE TABLE audit_log (
  organization_id uuid NOT NULL REFERENCES organizations,
  id              uuid NOT NULL,
  actor_id        uuid REFERENCES users,
  api_key_id      uuid,
  action          text NOT NULL,
  resource        text NOT NULL,
  before          jsonb,
  after           jsonb,
  request_id      text,
  created_at      timestamptz(3) NOT NULL, -- the moment inside `id`, which therefore orders and bounds by time
  PRIMARY KEY (organization_id, id)
);
-- One per filter: reading costs what is shown, however much else the organization did.
CREATE INDEX audit_log_actor ON audit_log (organization_id, actor_id, id);
CREATE INDEX audit_log_action ON audit_log (organization_id, action, id);
CREATE INDEX audit_log_resource ON audit_log (organization_id, resource, id);

-- What concerns a user and no organization: sign-ups, logins' families revoked, unrestricted keys.
CREATE TABLE account_audit_log (
  id         uuid PRIMARY KEY,
  user_id    uuid NOT NULL REFERENCES users,
  api_key_id uuid,
  action     text NOT NULL,
  resource   text NOT NULL,
  before     jsonb,
  after      jsonb,
  request_id text,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX account_audit_log_user_id ON account_audit_log (user_id, id);

-- Append-only means so for every role that runs the server, its own bugs included.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER account_audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON account_audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
