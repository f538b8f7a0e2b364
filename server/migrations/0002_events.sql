-- oldest program: 0001
-- Events: what happened to a resource, in the one order that every reader sees.
--
-- A writer takes the next numbers under the lock of the stream's row, so no number becomes visible before a smaller one.
CREATE TABLE event_streams (
  organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  id              uuid NOT NULL, -- the resource's own id
  last_seq        bigint NOT NULL DEFAULT 0,
  watched_until   timestamptz(3), -- somebody listens until then: only then is a writer's NOTIFY worth its cost
  closed_at       timestamptz(3), -- nothing will follow
  PRIMARY KEY (organization_id, id)
);

CREATE TABLE events (
  organization_id uuid NOT NULL,
  stream_id       uuid NOT NULL,
  seq             bigint NOT NULL,
  type            text NOT NULL,
  data            jsonb NOT NULL,
  size_bytes      integer NOT NULL, -- of the data: a page for a reader is bounded by bytes without reading them
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, stream_id, seq),
  CONSTRAINT events_stream_fkey FOREIGN KEY (organization_id, stream_id)
    REFERENCES event_streams (organization_id, id) ON DELETE CASCADE
);
