import type { Db } from '../../platform/db/connect.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import { JOB_PATH, JobParams } from '../schema.ts';
import { getArtifacts, listCandidates, listProposals } from './candidates.ts';
import {
  ExampleQuery,
  OptimizationArtifactsResponse,
  OptimizationCandidateListResponse,
  OptimizationExampleListResponse,
  OptimizationProposalListResponse,
  PageQuery,
} from './schema.ts';
import { listExamples } from './store.ts';

const ofJob = { scope: 'optimization:read', role: 'reader', params: JobParams } as const;

/** What a job has found, and on what. */
export function resultRoutes({ db, storage }: { readonly db: Db; readonly storage: ObjectStorage }) {
  return workspaceRoutes('Optimization', (on) => {
    on.get(
      `${JOB_PATH}/candidates`,
      {
        id: 'listOptimizationCandidates',
        summary: 'List the accepted candidates of a job, with their scores and origins',
        ...ofJob,
        query: PageQuery,
        response: OptimizationCandidateListResponse,
      },
      ({ scope, params, query }) => listCandidates(db, scope, params.job_id, query),
    );

    on.get(
      `${JOB_PATH}/proposals`,
      {
        id: 'listOptimizationProposals',
        summary: 'List all proposals of a job, also those that were rejected',
        ...ofJob,
        query: PageQuery,
        response: OptimizationProposalListResponse,
      },
      ({ scope, params, query }) => listProposals(db, scope, params.job_id, query),
    );

    on.get(
      `${JOB_PATH}/examples`,
      {
        id: 'listOptimizationExamples',
        summary: 'List the rows or tasks on which candidates are scored',
        ...ofJob,
        query: ExampleQuery,
        response: OptimizationExampleListResponse,
      },
      ({ scope, params, query }) => listExamples(db, scope, params.job_id, query),
    );

    on.get(
      `${JOB_PATH}/artifacts`,
      {
        id: 'getOptimizationArtifacts',
        summary: 'Get the best texts of a job, as files of the capability',
        ...ofJob,
        response: OptimizationArtifactsResponse,
      },
      ({ scope, params }) => getArtifacts({ db, storage }, scope, params.job_id),
    );
  });
}
