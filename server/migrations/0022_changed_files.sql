-- oldest program: 0021
-- Files of /workspace that an agent has written, as [{"path", "size_bytes"}]; null where they are not known.
ALTER TABLE evaluation_items ADD COLUMN changed_files jsonb;
