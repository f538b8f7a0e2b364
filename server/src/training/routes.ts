/** All operations on training jobs, and those of trainers. */

import type { Db } from '../platform/db/connect.ts';
import type { RouteGroup } from '../platform/http/operations.ts';
import { controlRoutes } from './control/routes.ts';
import { creationRoutes } from './creation/routes.ts';
import { type CreditRule, hasCredits, NO_CREDITS } from './credits.ts';
import { fromSessionsRoutes } from './from-sessions/routes.ts';
import { type CatalogOptions, catalogRoutes } from './reading/catalog-routes.ts';
import { resultRoutes } from './reading/result-routes.ts';
import { readingRoutes } from './reading/routes.ts';
import { type FoundJob, type JobView, toVendorName } from './schema.ts';
import { type ServingOptions, servingRoutes } from './serving/routes.ts';
import type { WorkStore } from './working/progress.ts';
import { workingRoutes } from './working/routes.ts';

export interface TrainingOptions extends WorkStore, Omit<CatalogOptions, 'showBackend'>, ServingOptions {
  /** Responses say `tinker` and `ray` instead of `hosted_a` and `hosted_b`. */
  readonly vendorWords: boolean;
}

export function trainingRoutes(options: TrainingOptions): RouteGroup[] {
  const showBackend = options.vendorWords ? toVendorName : (backend: string) => backend;
  const view = viewOf(options, showBackend);
  return [
    creationRoutes(options, view),
    readingRoutes(options, view),
    resultRoutes(options),
    controlRoutes(options, view),
    workingRoutes(options),
    ...catalogRoutes({ ...options, showBackend }),
    servingRoutes(options),
    fromSessionsRoutes(options),
  ];
}

function viewOf(
  { db, credits }: CreditRule & { readonly db: Db },
  showBackend: (backend: string) => string,
): JobView {
  const find = async (jobs: readonly FoundJob[]) => {
    const queued = jobs.find(({ status }) => status === 'queued');
    return queued && !(await hasCredits(db, { credits }, queued.organization_id)) ? NO_CREDITS : null;
  };
  const show = (job: FoundJob, reason: string | null) => ({
    ...job,
    backend: showBackend(job.backend),
    waiting_reason: job.status === 'queued' ? reason : null,
  });
  return {
    one: async (job) => show(job, await find([job])),
    all: async (jobs) => {
      const reason = await find(jobs);
      return jobs.map((job) => show(job, reason));
    },
  };
}
