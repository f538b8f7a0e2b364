-- oldest program: 0016
-- Ephemeral sandboxes: background work such as evaluations runs in runtimes that nobody lists, each held by a lease.
--
-- A server of the version before knows only runtimes of origin `user`: the defaults keep its statements valid.

-- What a sandbox was started for; the names are those of session origins.
ALTER TABLE runtimes
  ADD COLUMN origin text NOT NULL DEFAULT 'user'
    CHECK (origin IN ('user', 'worker', 'eval', 'optimization', 'training', 'world')),
  -- The process that holds an ephemeral runtime renews its lease; a runtime whose lease has lapsed is deleted.
  ADD COLUMN leased_until timestamptz(3),
  -- A new id for each holder, so that a holder that was replaced neither renews nor deletes.
  ADD COLUMN lease_id uuid,
  ADD CONSTRAINT runtimes_lease CHECK ((origin = 'user') = (leased_until IS NULL) AND (origin = 'user') = (lease_id IS NULL));
ALTER TABLE sandboxes
  ADD COLUMN origin text NOT NULL DEFAULT 'user'
    CHECK (origin IN ('user', 'worker', 'eval', 'optimization', 'training', 'world'));

-- The clean-up reads every ephemeral runtime. `leased_until` is not part of the index, so that a renewal updates no index.
CREATE INDEX runtimes_ephemeral ON runtimes (organization_id, id) WHERE origin <> 'user';
