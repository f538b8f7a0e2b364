/** Response schemas of the list and of the facets. */
import { z } from 'zod';
import { UserIdentity } from '../../accounts/service.ts';
import { boundedTotal, exactTotalQuery, pageOf, pageQuery } from '../../platform/http/responses/pages.ts';
import { SessionResponse } from '../schema.ts';
import { SessionQuery } from './query.ts';

export const LabelFacetEntry = z
  .object({ value: z.string(), count: z.int() })
  .meta({ id: 'LabelFacetEntry' });

export const UserFacetEntry = UserIdentity.extend({ count: z.int() }).meta({ id: 'UserFacetEntry' });

/**
 * Maximum number of label values in total. Each session may have thousands of unique ones, and all of them would make a response of
 * gigabytes. The most frequent ones are returned; ties are broken by key and value.
 */
export const MAX_LABELS = 50_000;

const Entries = z.array(LabelFacetEntry);

export const SessionFacetsResponse = z
  .object({
    agents: Entries,
    models: Entries,
    origins: Entries,
    users: z.array(UserFacetEntry).describe('Owners of sessions'),
    group_kinds: Entries,
    group_statuses: Entries,
    labels: z
      .record(z.string(), Entries)
      .describe(`By key. At most ${MAX_LABELS} values in all: those of most sessions`),
  })
  .meta({ id: 'SessionFacetsResponse' });

export type SessionFacetsOf = z.output<typeof SessionFacetsResponse>;

export const SessionListResponse = pageOf('sessions', SessionResponse).extend(boundedTotal).meta({
  id: 'SessionListResponse',
});

export const SORT_KEYS = ['created_at', 'updated_at', 'last_message_at', 'title', 'message_count'] as const;

export const SessionListQuery = SessionQuery.extend({
  sort_by: z.enum(SORT_KEYS).default('updated_at'),
  sort_dir: z.enum(['asc', 'desc']).default('desc').describe('What has no such value comes last either way'),
  ...pageQuery({ defaultLimit: 50, maxLimit: 100 }),
  ...exactTotalQuery('sessions'),
});

export type SessionListQueryOf = z.output<typeof SessionListQuery>;
export type SessionOrder = Pick<SessionListQueryOf, 'sort_by' | 'sort_dir'>;
