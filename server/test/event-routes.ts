/** A resource that only has events: mounted like each route of the server, for the tests of events. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Db } from '../src/platform/db/connect.ts';
import { transaction } from '../src/platform/db/transaction.ts';
import { ApiError, notFound } from '../src/platform/errors.ts';
import { appendEvents } from '../src/platform/events/event-log.ts';
import { Uuid } from '../src/platform/fields.ts';
import { workspaceRoutes } from '../src/platform/http/operations.ts';

const idParam = z.object({ id: Uuid });

const AppendRequest = z.object({
  events: z.array(z.record(z.string(), z.unknown())),
  close: z.boolean().default(false),
  /** Milliseconds between the write and the commit. */
  hold_ms: z.int().default(0),
  roll_back: z.boolean().default(false),
});

/** @param gone ids of resources that no longer exist */
export function eventRoutes(db: Db, gone: ReadonlySet<string> = new Set()) {
  return workspaceRoutes('Events', (on) => {
    on.post(
      '/things/:id',
      {
        id: 'appendToThing',
        summary: 'Append events',
        scope: 'projects:write',
        role: 'contributor',
        params: idParam,
        body: AppendRequest,
        response: z.object({ last_seq: z.int() }),
        status: 201,
      },
      ({ scope, params, body }) =>
        transaction(db, async (trx) => {
          const stream = { organizationId: scope.organizationId, streamId: params.id };
          const events = body.events.map((data) => ({ type: 'thing.changed', data }));
          const last_seq = await appendEvents(trx, stream, events, { close: body.close });
          await sleep(body.hold_ms);
          if (body.roll_back) throw new ApiError('conflict_error', 'Rolled back, as asked for.');
          return { last_seq };
        }),
    );

    on.events(
      '/things/:id/events',
      {
        id: 'watchThing',
        summary: 'Watch a thing',
        scope: 'projects:read',
        role: 'reader',
        params: idParam,
        events: { 'thing.changed': z.object({ name: z.string() }) },
      },
      ({ scope, params }) => {
        if (gone.has(params.id)) throw notFound('Thing');
        return { organizationId: scope.organizationId, streamId: params.id };
      },
    );
  });
}
