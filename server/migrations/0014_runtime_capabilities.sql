-- oldest program: 0013
-- Capabilities that are installed into runtimes: which version of which, what is set of its flags, and whether it is shown.
--
-- No foreign keys to the registry: what is installed may be another organization's, and a version that is deleted leaves its row.

CREATE TABLE runtime_capabilities (
  organization_id uuid NOT NULL,
  id              uuid NOT NULL,
  runtime_id      uuid NOT NULL,
  -- Whose it is: this organization's, or another's that was public when it was installed.
  owner_id        uuid NOT NULL,
  artifact_id     uuid NOT NULL,
  version_id      uuid NOT NULL,
  -- `name`, or `owner/name` of another organization's; where it is shown stays the same, whatever becomes of that organization's key.
  capability_name text COLLATE "C" NOT NULL,
  version         text NOT NULL,
  enabled         boolean NOT NULL DEFAULT true,
  flags           jsonb NOT NULL DEFAULT '{}', -- those that were set; the others are what the version says
  created_by      uuid NOT NULL REFERENCES users,
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  updated_at      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT runtime_capabilities_artifact_key UNIQUE (organization_id, runtime_id, artifact_id),
  CONSTRAINT runtime_capabilities_runtime_fkey FOREIGN KEY (organization_id, runtime_id)
    REFERENCES runtimes (organization_id, id) ON DELETE CASCADE
);

-- How often what is installed has changed, and up to which of these changes the runtime's sandbox shows it. Where they differ and it
-- runs, its host sets it: also where the process that changed it was killed before it could ask for that.
ALTER TABLE runtimes
  ADD COLUMN capabilities_changed integer NOT NULL DEFAULT 0,
  ADD COLUMN capabilities_shown   integer NOT NULL DEFAULT 0;
CREATE INDEX runtimes_capabilities_unshown ON runtimes (host_id) WHERE capabilities_changed <> capabilities_shown;
