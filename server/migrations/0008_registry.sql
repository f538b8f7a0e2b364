-- oldest program: 0007
-- The registry: datasets, models, tasks and capabilities, each a name with immutable versions; and sets of tasks.

-- One row for each name. What a list shows and filters by is the newest version's, kept here so that a page is read from
-- one table: `latest_…` is written anew, under the lock of this row, whenever a version comes or goes.
CREATE TABLE artifacts (
  organization_id   uuid NOT NULL REFERENCES organizations,
  id                uuid NOT NULL,
  kind              text NOT NULL CHECK (kind IN ('dataset', 'model', 'task', 'capability')),
  name              text COLLATE "C" NOT NULL,
  is_public         boolean NOT NULL DEFAULT false,
  -- Who published the first version.
  created_by        uuid NOT NULL REFERENCES users,
  created_at        timestamptz(3) NOT NULL DEFAULT now(),
  -- When a version, an alias or the visibility last changed.
  updated_at        timestamptz(3) NOT NULL DEFAULT now(),
  -- Versions that are not deleted. With none of them the name is there for nobody, but stays taken.
  version_count     integer NOT NULL DEFAULT 0,
  -- The newest release; else the newest pre-release.
  latest_id         uuid,
  latest_version    text,
  -- What a reference without a version means: never a pre-release.
  latest_release    text,
  latest_created_at timestamptz(3),
  summary           text,
  tags              text[],
  license           text,
  task_categories   text[],
  framework         text,
  size_category     text,
  difficulty        text,
  source            text,
  file_size_bytes   bigint NOT NULL DEFAULT 0,
  -- The summary in lower case, for the search; names have no other case.
  search_text       text COLLATE "C" NOT NULL DEFAULT '',
  PRIMARY KEY (organization_id, id),
  CONSTRAINT artifacts_name_key UNIQUE (organization_id, kind, name)
);
CREATE INDEX artifacts_created_at ON artifacts (organization_id, kind, latest_created_at, latest_id) WHERE version_count > 0;
CREATE INDEX artifacts_updated_at ON artifacts (organization_id, kind, updated_at, latest_id) WHERE version_count > 0;
CREATE INDEX artifacts_size ON artifacts (organization_id, kind, file_size_bytes, latest_id) WHERE version_count > 0;

-- What everybody may see, of all organizations: small, and written in the transaction that publishes or hides. A list with
-- what is public starts here and so never passes over what other tenants keep to themselves.
CREATE TABLE public_catalogue (
  kind            text NOT NULL CHECK (kind IN ('dataset', 'model', 'task', 'capability', 'task_set')),
  organization_id uuid NOT NULL REFERENCES organizations,
  -- Of the artifact, or of the task set.
  id              uuid NOT NULL,
  PRIMARY KEY (kind, organization_id, id)
);

-- Immutable. A deleted one keeps its number, and nothing else.
CREATE TABLE artifact_versions (
  organization_id uuid NOT NULL,
  id              uuid NOT NULL,
  artifact_id     uuid NOT NULL,
  version         text NOT NULL,
  -- The version as text whose bytes sort as semantic versions do; build metadata leaves no trace in it.
  precedence      text COLLATE "C" NOT NULL,
  is_prerelease   boolean NOT NULL,
  -- Over the manifest and the files: what is the same has the same.
  digest          bytea NOT NULL CHECK (length(digest) = 32),
  manifest        jsonb NOT NULL,
  -- What was found out about the files, in the form of the kind: splits, counts of components.
  details         jsonb NOT NULL,
  file_count      integer NOT NULL,
  file_size_bytes bigint NOT NULL,
  -- Without the downloads that are not folded into it yet.
  download_count  bigint NOT NULL DEFAULT 0,
  created_by      uuid NOT NULL REFERENCES users,
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at      timestamptz(3),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT artifact_versions_version_key UNIQUE (organization_id, artifact_id, precedence),
  CONSTRAINT artifact_versions_artifact_fkey FOREIGN KEY (organization_id, artifact_id) REFERENCES artifacts
);

-- Another name for one version of a model.
CREATE TABLE artifact_aliases (
  organization_id uuid NOT NULL,
  artifact_id     uuid NOT NULL,
  alias           text COLLATE "C" NOT NULL,
  version_id      uuid NOT NULL,
  PRIMARY KEY (organization_id, artifact_id, alias),
  FOREIGN KEY (organization_id, artifact_id) REFERENCES artifacts,
  FOREIGN KEY (organization_id, version_id) REFERENCES artifact_versions
);
CREATE INDEX artifact_aliases_version_id ON artifact_aliases (organization_id, version_id);

-- A place in the object storage, `registry/<organization>/<id>/`, noted before anything is put there: by a bundle that is
-- being unpacked, by an upload in parts, by a conversion. Once `sweep_at` has come, a clean-up deletes whatever lies there
-- and is no blob, and the row.
CREATE TABLE registry_uploads (
  organization_id uuid NOT NULL REFERENCES organizations,
  id              uuid NOT NULL,
  sweep_at        timestamptz(3) NOT NULL,
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  created_by      uuid REFERENCES users,
  -- Nothing that lies there becomes a blob any more.
  is_closed       boolean NOT NULL DEFAULT false,
  -- Of an upload that is to be completed: what it is to become. Links to put its files are valid until `expires_at`.
  kind            text CHECK (kind IN ('dataset', 'model', 'task', 'capability')),
  name            text COLLATE "C",
  precedence      text COLLATE "C",
  -- As it was given: jsonb would not keep the order of its keys.
  manifest        json,
  files           jsonb,
  expires_at      timestamptz(3),
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX registry_uploads_version ON registry_uploads (organization_id, kind, name, precedence, id) WHERE kind IS NOT NULL;
CREATE INDEX registry_uploads_sweep_at ON registry_uploads (sweep_at);

-- Content, once for each organization. Its key in the object storage tells the upload that brought it.
CREATE TABLE artifact_blobs (
  organization_id uuid NOT NULL REFERENCES organizations,
  sha256          bytea NOT NULL CHECK (length(sha256) = 32),
  size_bytes      bigint NOT NULL,
  upload_id       uuid NOT NULL,
  object_key      text COLLATE "C" NOT NULL,
  -- Since when no version and no conversion may need it; a clean-up looks again, and deletes it.
  unused_since    timestamptz(3) DEFAULT now(),
  PRIMARY KEY (organization_id, sha256)
);
CREATE INDEX artifact_blobs_upload_id ON artifact_blobs (organization_id, upload_id);
CREATE INDEX artifact_blobs_unused_since ON artifact_blobs (unused_since) WHERE unused_since IS NOT NULL;

CREATE TABLE artifact_files (
  organization_id uuid NOT NULL,
  version_id      uuid NOT NULL,
  path            text COLLATE "C" NOT NULL,
  sha256          bytea NOT NULL,
  size_bytes      bigint NOT NULL,
  PRIMARY KEY (organization_id, version_id, path),
  CONSTRAINT artifact_files_version_fkey FOREIGN KEY (organization_id, version_id) REFERENCES artifact_versions,
  CONSTRAINT artifact_files_blob_fkey FOREIGN KEY (organization_id, sha256) REFERENCES artifact_blobs
);
CREATE INDEX artifact_files_sha256 ON artifact_files (organization_id, sha256);

-- Content in another form: a split of a dataset as Parquet, several files as one archive. Once for the same content.
CREATE TABLE artifact_conversions (
  organization_id     uuid NOT NULL REFERENCES organizations,
  id                  uuid NOT NULL,
  -- Of the file, or over the paths and digests of the files; with the form it came in.
  source_digest       bytea NOT NULL CHECK (length(source_digest) = 32),
  -- The content that it is made of. It stays while this does; this goes when no version has held one of them for an hour.
  source_sha256s      bytea[] NOT NULL,
  format              text NOT NULL CHECK (format IN ('parquet', 'csv', 'jsonl', 'archive')),
  -- What the job needs to know: the files, their form, the columns.
  source              jsonb NOT NULL,
  result_sha256       bytea,
  status              text NOT NULL DEFAULT 'queued'
                        CHECK (status IN ('queued', 'running', 'completed', 'failed', 'cancelled')),
  attempt             integer NOT NULL DEFAULT 0,
  checkpoint          jsonb,
  error               text,
  cancel_requested_at timestamptz(3),
  created_at          timestamptz(3) NOT NULL DEFAULT now(),
  started_at          timestamptz(3),
  completed_at        timestamptz(3),
  PRIMARY KEY (organization_id, id),
  CONSTRAINT artifact_conversions_source_key UNIQUE (organization_id, source_digest, format),
  CONSTRAINT artifact_conversions_result_fkey FOREIGN KEY (organization_id, result_sha256) REFERENCES artifact_blobs
);
CREATE INDEX artifact_conversions_open ON artifact_conversions (organization_id, id) WHERE status IN ('queued', 'running');
CREATE INDEX artifact_conversions_sources ON artifact_conversions USING gin (source_sha256s);
CREATE INDEX artifact_conversions_result ON artifact_conversions (organization_id, result_sha256) WHERE result_sha256 IS NOT NULL;

-- One row for each download that was handed out. Those that are not counted yet are added to their version in the
-- background, so that no download waits for another.
CREATE TABLE artifact_downloads (
  organization_id uuid NOT NULL,
  id              uuid NOT NULL,
  version_id      uuid NOT NULL,
  user_id         uuid NOT NULL REFERENCES users,
  format          text NOT NULL,
  split           text,
  is_counted      boolean NOT NULL DEFAULT false,
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, version_id) REFERENCES artifact_versions
);
CREATE INDEX artifact_downloads_open ON artifact_downloads (organization_id, version_id) WHERE NOT is_counted;

CREATE TABLE task_sets (
  organization_id uuid NOT NULL REFERENCES organizations,
  id              uuid NOT NULL,
  name            text COLLATE "C" NOT NULL,
  description     text,
  source          text COLLATE "C",
  tags            text[],
  is_public       boolean NOT NULL DEFAULT false,
  member_count    integer NOT NULL,
  created_by      uuid NOT NULL REFERENCES users,
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  updated_at      timestamptz(3) NOT NULL DEFAULT now(),
  -- The words of name, description, tags and source.
  search_words    tsvector NOT NULL,
  PRIMARY KEY (organization_id, id),
  CONSTRAINT task_sets_name_key UNIQUE (organization_id, name)
);
CREATE INDEX task_sets_created_at ON task_sets (organization_id, created_at, id);
CREATE INDEX task_sets_updated_at ON task_sets (organization_id, updated_at, id);
CREATE INDEX task_sets_source ON task_sets (organization_id, source, id);

-- In the order that they were given. Nothing here refers to the tasks: a member is a name, whatever it names today.
CREATE TABLE task_set_members (
  organization_id uuid NOT NULL,
  task_set_id     uuid NOT NULL,
  position        integer NOT NULL,
  -- As it was given.
  task_name       text NOT NULL,
  -- What it means: null is the organization of the set.
  owner_key       text COLLATE "C",
  local_name      text COLLATE "C" NOT NULL,
  task_version    text,
  precedence      text COLLATE "C",
  notes           text,
  PRIMARY KEY (organization_id, task_set_id, position),
  CONSTRAINT task_set_members_set_fkey FOREIGN KEY (organization_id, task_set_id) REFERENCES task_sets ON DELETE CASCADE
);
CREATE INDEX task_set_members_task ON task_set_members (organization_id, local_name, owner_key, task_set_id);
