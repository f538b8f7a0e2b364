/** All operations of the red team. */
import type { RouteGroup } from '../platform/http/operations.ts';
import { analyticsRoutes } from './analytics/routes.ts';
import { assessmentRoutes, runRoutes } from './assessment-routes.ts';
import type { CreateRules } from './assessments/create.ts';
import type { StartOptions } from './assessments/start.ts';
import { catalogueRoutes } from './catalogue/routes.ts';
import { type EvidenceOptions, evidenceRoutes } from './evidence/routes.ts';
import { findingListRoutes, findingRoutes, proofRoutes } from './findings/routes.ts';
import { reportRoutes } from './reports/routes.ts';
import type { ReportOptions } from './reports/store.ts';
import { trialRoutes } from './trials/routes.ts';

export type AirtOptions = StartOptions & CreateRules & ReportOptions & EvidenceOptions;

export const airtRoutes = (options: AirtOptions): RouteGroup[] => [
  assessmentRoutes(options),
  runRoutes(options),
  findingListRoutes(options),
  findingRoutes(options),
  proofRoutes(options),
  trialRoutes(options),
  analyticsRoutes(options),
  reportRoutes(options),
  evidenceRoutes(options),
  catalogueRoutes(),
];
