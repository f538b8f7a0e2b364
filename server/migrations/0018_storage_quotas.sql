-- oldest program: 0017
-- How much each organization stores, for its quotas. Sums are kept in parts, one for some of the connections each, so that
-- writers of one organization rarely wait for each other.
CREATE TABLE stored_bytes (
  organization_id uuid NOT NULL,
  kind            text NOT NULL CHECK (kind IN ('objects', 'registry')),
  part            smallint NOT NULL,
  bytes           bigint NOT NULL,
  PRIMARY KEY (organization_id, kind, part)
) WITH (fillfactor = 50);

-- What an organization may store of each kind, from the settings of the servers. NULL: as much as there is room for.
CREATE TABLE storage_quotas (
  kind  text PRIMARY KEY CHECK (kind IN ('objects', 'registry', 'runtimes', 'spans')),
  bytes bigint CHECK (bytes >= 0)
);

-- How much the disk of a runtime held when its host last measured it.
ALTER TABLE runtimes ADD COLUMN disk_bytes bigint NOT NULL DEFAULT 0, ADD COLUMN disk_measured_at timestamptz(3);

-- Bytes of the spans that came on a day. They count for as long as the organization keeps spans.
CREATE TABLE span_bytes (
  organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  day             date NOT NULL,
  part            smallint NOT NULL,
  bytes           bigint NOT NULL,
  PRIMARY KEY (organization_id, day, part)
) WITH (fillfactor = 50);

CREATE FUNCTION stored_of(organization uuid, what text) RETURNS bigint STABLE LANGUAGE sql AS $$
  SELECT CASE what
    WHEN 'runtimes' THEN (
      SELECT coalesce(sum(r.disk_bytes), 0) FROM runtimes AS r WHERE r.organization_id = organization)
    WHEN 'spans' THEN (
      SELECT coalesce(sum(s.bytes), 0) FROM span_bytes AS s JOIN organizations AS o ON o.id = s.organization_id
       WHERE s.organization_id = organization AND s.day >= current_date - o.trace_retention_days)
    ELSE (
      SELECT greatest(0, coalesce(sum(b.bytes), 0)) FROM stored_bytes AS b
       WHERE b.organization_id = organization AND b.kind = what)
  END::bigint
$$;

-- How much more the organization may store; NULL: as much as there is room for.
CREATE FUNCTION quota_left(organization uuid, what text) RETURNS bigint STABLE LANGUAGE sql AS $$
  SELECT q.bytes - stored_of(organization, what) FROM storage_quotas AS q WHERE q.kind = what
$$;

-- Bytes of a part may be negative: what one connection has added another may remove. An organization that is over its quota may
-- still remove.
CREATE FUNCTION add_stored_bytes(organization uuid, what text, change numeric) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO stored_bytes AS b (organization_id, kind, part, bytes)
  VALUES (organization, what, pg_backend_pid() % 16, change)
  ON CONFLICT (organization_id, kind, part) DO UPDATE SET bytes = b.bytes + excluded.bytes;
  IF change > 0 AND quota_left(organization, what) < 0 THEN
    RAISE EXCEPTION 'the quota of % is exceeded', what USING ERRCODE = 'DDQ01', DETAIL = what;
  END IF;
END $$;

-- The keys of objects begin with orgs/<organization>/ or exports/<organization>/; the registry's are counted by its blobs.
CREATE FUNCTION owner_of_object(key text) RETURNS uuid IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
  SELECT CASE WHEN key ~ '^(orgs|exports)/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/' THEN split_part(key, '/', 2)::uuid END
$$;

CREATE FUNCTION count_added_objects() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_stored_bytes(owner, 'objects', change)
     FROM (SELECT owner_of_object(key) AS owner, sum(size_bytes) AS change FROM added GROUP BY 1 ORDER BY 1) AS c
    WHERE owner IS NOT NULL AND change <> 0;
  RETURN NULL;
END $$;
CREATE FUNCTION count_changed_objects() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_stored_bytes(owner, 'objects', change)
     FROM (SELECT owner_of_object(key) AS owner, sum(size) AS change
             FROM (SELECT key, size_bytes AS size FROM added UNION ALL SELECT key, -size_bytes FROM removed) AS e
            GROUP BY 1 ORDER BY 1) AS c
    WHERE owner IS NOT NULL AND change <> 0;
  RETURN NULL;
END $$;
CREATE FUNCTION count_removed_objects() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_stored_bytes(owner, 'objects', change)
     FROM (SELECT owner_of_object(key) AS owner, -sum(size_bytes) AS change FROM removed GROUP BY 1 ORDER BY 1) AS c
    WHERE owner IS NOT NULL AND change <> 0;
  RETURN NULL;
END $$;
CREATE TRIGGER count_added AFTER INSERT ON stored_objects REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_added_objects();
CREATE TRIGGER count_changed AFTER UPDATE ON stored_objects REFERENCING NEW TABLE AS added OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_changed_objects();
CREATE TRIGGER count_removed AFTER DELETE ON stored_objects REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_removed_objects();

-- Parts of an upload count until it ends: what becomes of them is an object, or nothing.
CREATE FUNCTION count_upload_part() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  owner  uuid := (SELECT owner_of_object(u.key) FROM object_uploads AS u WHERE u.id = NEW.upload_id);
  change bigint := NEW.size_bytes - CASE WHEN TG_OP = 'UPDATE' THEN OLD.size_bytes ELSE 0 END;
BEGIN
  IF owner IS NOT NULL AND change <> 0 THEN
    PERFORM add_stored_bytes(owner, 'objects', change);
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION count_ended_upload() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  owner  uuid := owner_of_object(OLD.key);
  change bigint := (SELECT -sum(p.size_bytes) FROM object_upload_parts AS p WHERE p.upload_id = OLD.id);
BEGIN
  IF owner IS NOT NULL AND change <> 0 THEN
    PERFORM add_stored_bytes(owner, 'objects', change);
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER count_part AFTER INSERT OR UPDATE OF size_bytes ON object_upload_parts
  FOR EACH ROW EXECUTE FUNCTION count_upload_part();
CREATE TRIGGER count_ended BEFORE DELETE ON object_uploads
  FOR EACH ROW EXECUTE FUNCTION count_ended_upload();

-- A blob never changes its size.
CREATE FUNCTION count_added_blobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_stored_bytes(organization_id, 'registry', change)
     FROM (SELECT organization_id, sum(size_bytes) AS change FROM added GROUP BY 1 ORDER BY 1) AS c WHERE change <> 0;
  RETURN NULL;
END $$;
CREATE FUNCTION count_removed_blobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_stored_bytes(organization_id, 'registry', change)
     FROM (SELECT organization_id, -sum(size_bytes) AS change FROM removed GROUP BY 1 ORDER BY 1) AS c WHERE change <> 0;
  RETURN NULL;
END $$;
CREATE TRIGGER count_added AFTER INSERT ON artifact_blobs REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_added_blobs();
CREATE TRIGGER count_removed AFTER DELETE ON artifact_blobs REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_removed_blobs();

-- What is stored already. No object or blob comes or goes meanwhile.
LOCK TABLE stored_objects, object_uploads, object_upload_parts, artifact_blobs IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO stored_bytes (organization_id, kind, part, bytes)
SELECT owner_of_object(key), 'objects', 0, sum(size_bytes)
  FROM (SELECT key, size_bytes FROM stored_objects
        UNION ALL
        SELECT u.key, p.size_bytes FROM object_uploads AS u JOIN object_upload_parts AS p ON p.upload_id = u.id) AS stored
 WHERE owner_of_object(key) IS NOT NULL GROUP BY 1
UNION ALL
SELECT organization_id, 'registry', 0, sum(size_bytes) FROM artifact_blobs GROUP BY 1;
