/** The documents of a tour, in the order in which a newcomer could read them. */
import type { TourStop } from './tour.ts';

/** They take seconds. */
export const TOUR: readonly TourStop[] = [
  { path: 'README.md' },
  { path: 'docs/guides/team.md' },
  { path: 'docs/guides/registry.md' },
  { path: 'docs/guides/runtimes.md' },
  { path: 'docs/guides/capabilities.md' },
  { path: 'docs/guides/models.md' },
  { path: 'docs/guides/sessions.md' },
  { path: 'docs/guides/traces.md' },
  { path: 'docs/guides/sql.md' },
  { path: 'docs/guides/storage-s3.md' },
];
