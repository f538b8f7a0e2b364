-- oldest program: 0006
-- The index of the embedded object store. It is to the gateway what the disk is to any other S3: one bucket, keys,
-- content. Tenants are told apart by the prefix of a key, which the gateway's policies guard; so these tables are of no
-- organization, as a foreign S3 would be.

-- Where the content is: in a folder of a data directory, or in a bucket of an S3. A process that was told otherwise, or
-- does not have that folder, must not serve this database.
CREATE TABLE object_store (
  is_only    boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  id         uuid, -- the folder's name
  host       text, -- where it was made; for people
  data_dir   text,
  bucket     text,
  endpoint   text, -- of the S3 with that bucket; NULL: AWS
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CHECK (num_nulls(id, host, data_dir) = CASE WHEN bucket IS NULL THEN 0 ELSE 3 END),
  CHECK (endpoint IS NULL OR bucket IS NOT NULL)
);

-- Content is immutable files, one a blob; an object that was put in parts has one for each part, in their order.
CREATE TABLE stored_objects (
  key                text COLLATE "C" PRIMARY KEY CHECK (octet_length(key) BETWEEN 1 AND 1024),
  blob_ids           uuid[] NOT NULL,
  blob_sizes         bigint[] NOT NULL,
  size_bytes         bigint NOT NULL,
  etag               text NOT NULL,  -- without its quotes
  headers            jsonb NOT NULL, -- content-type and the others that are served as they were given
  metadata           jsonb NOT NULL, -- x-amz-meta-*, without that prefix
  checksum_algorithm text,
  checksum_type      text CHECK (checksum_type IN ('FULL_OBJECT', 'COMPOSITE')),
  checksum           text,           -- base64; of a composite one with its count of parts
  updated_at         timestamptz(3) NOT NULL DEFAULT now(),
  CHECK (cardinality(blob_ids) = cardinality(blob_sizes)),
  CHECK (num_nulls(checksum_algorithm, checksum_type, checksum) IN (0, 3))
);
-- Whose a blob is: asked by the sweep of every file. Few objects have several, and only these pay for the larger index.
-- It has no list of pending entries: with one, which every look-up reads, PostgreSQL prefers to go through all objects.
CREATE INDEX stored_objects_blob ON stored_objects ((blob_ids[1])) WHERE cardinality(blob_ids) = 1;
CREATE INDEX stored_objects_blobs ON stored_objects USING gin (blob_ids) WITH (fastupdate = off)
  WHERE cardinality(blob_ids) > 1;

CREATE TABLE object_uploads (
  id                 uuid PRIMARY KEY,
  key                text COLLATE "C" NOT NULL CHECK (octet_length(key) BETWEEN 1 AND 1024),
  headers            jsonb NOT NULL,
  metadata           jsonb NOT NULL,
  checksum_algorithm text,
  checksum_type      text CHECK (checksum_type IN ('FULL_OBJECT', 'COMPOSITE')),
  created_at         timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX object_uploads_key ON object_uploads (key, id);
CREATE INDEX object_uploads_created_at ON object_uploads (created_at);

CREATE TABLE object_upload_parts (
  upload_id   uuid NOT NULL REFERENCES object_uploads ON DELETE CASCADE,
  part_number integer NOT NULL CHECK (part_number BETWEEN 1 AND 10000),
  blob_id     uuid NOT NULL,
  size_bytes  bigint NOT NULL,
  md5         text NOT NULL, -- hex
  checksum    text,          -- base64, by the upload's algorithm
  updated_at  timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (upload_id, part_number)
);
CREATE INDEX object_upload_parts_blob ON object_upload_parts (blob_id);

-- Files that nothing refers to any more; the sweep removes file and row. Triggers write it, so that no statement can
-- make a blob lose its owner and forget to say so.
CREATE TABLE dropped_blobs (
  id         uuid PRIMARY KEY,
  dropped_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX dropped_blobs_dropped_at ON dropped_blobs (dropped_at, id);

CREATE FUNCTION note_dropped_blobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO dropped_blobs (id)
  SELECT unnest(OLD.blob_ids)
  EXCEPT SELECT unnest(CASE WHEN TG_OP = 'UPDATE' THEN NEW.blob_ids END)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER note_dropped_blobs AFTER DELETE OR UPDATE OF blob_ids ON stored_objects
  FOR EACH ROW EXECUTE FUNCTION note_dropped_blobs();

CREATE FUNCTION note_dropped_part() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO dropped_blobs (id)
  SELECT OLD.blob_id WHERE TG_OP = 'DELETE' OR OLD.blob_id <> NEW.blob_id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER note_dropped_part AFTER DELETE OR UPDATE OF blob_id ON object_upload_parts
  FOR EACH ROW EXECUTE FUNCTION note_dropped_part();

-- Prefixes whose owner is gone: a clean-up deletes what lies under them, once no credential for them can be valid.
CREATE TABLE abandoned_prefixes (
  organization_id uuid NOT NULL,
  prefix          text COLLATE "C" NOT NULL CHECK (prefix LIKE '_%/'),
  abandoned_at    timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, prefix)
);
CREATE INDEX abandoned_prefixes_abandoned_at ON abandoned_prefixes (abandoned_at, organization_id, prefix);
