/** Every page of the console and its address. The query of an address holds the whole state of its page. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router';
import { login } from './api/client.ts';
import { ErrorNotice } from './components/error-notice.tsx';
import { readEvaluationListSearch, readEvaluationSearch, readSampleSearch } from './evaluations/search.ts';
import { findHome } from './frame/home.ts';
import { NotFound } from './frame/not-found.tsx';
import { readLineageSearch } from './lineage/search.ts';
import { readJobListSearch, readJobSearch } from './optimization/search.ts';
import { readAssessmentListSearch, readAssessmentSearch, readFindingListSearch } from './red-team/search.ts';
import { readRuntimeListSearch, readRuntimeSearch } from './runtimes/search.ts';
import { readPage, readText } from './search-params.ts';
import { readSessionListSearch, readSessionSearch } from './sessions/search.ts';
import { readTraceListSearch, readTraceSearch } from './traces/search.ts';
import { readTrainingListSearch, readTrainingSearch } from './training/search.ts';

const rootRoute = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFound,
  // Loads the failed code again; a reset alone would show the same error.
  errorComponent: ({ error }) => <ErrorNotice error={error} onRetry={() => void router.invalidate()} />,
});

/** Redirects to the workspace that was shown last, or to the first one. */
const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: async ({ location }) => {
    await requireSignedIn(location.href);
    throw redirect(await findHome());
  },
});

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search): { to?: string } => ({ to: readLocalPath(readText(search, 'to')) }),
  component: lazyRouteComponent(() => import('./sign-in/sign-in-page.tsx'), 'SignInPage'),
});

const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  validateSearch: (search): { token?: string } => ({ token: readText(search, 'token') }),
  beforeLoad: () => login.restore(),
  component: lazyRouteComponent(() => import('./sign-in/invitation-page.tsx'), 'InvitationPage'),
});

const deviceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/device',
  validateSearch: (search): { user_code?: string } => ({ user_code: readText(search, 'user_code') }),
  beforeLoad: ({ location }) => requireSignedIn(location.href),
  component: lazyRouteComponent(() => import('./sign-in/device-page.tsx'), 'DevicePage'),
});

const welcomeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/welcome',
  beforeLoad: ({ location }) => requireSignedIn(location.href),
  component: lazyRouteComponent(() => import('./sign-in/welcome-page.tsx'), 'WelcomePage'),
});

const workspaceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/o/$org/w/$workspace',
  validateSearch: (search): { project?: string } => ({ project: readText(search, 'project') }),
  search: { middlewares: [retainSearchParams(['project'])] },
  beforeLoad: ({ location }) => requireSignedIn(location.href),
  component: lazyRouteComponent(() => import('./frame/frame.tsx'), 'Frame'),
});

const overviewRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./overview/overview-page.tsx'), 'OverviewPage'),
});

const sessionsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/sessions',
  validateSearch: readSessionListSearch,
  component: lazyRouteComponent(() => import('./sessions/session-list-page.tsx'), 'SessionListPage'),
});

const sessionRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/sessions/$sessionId',
  validateSearch: readSessionSearch,
  component: lazyRouteComponent(() => import('./sessions/session-page.tsx'), 'SessionPage'),
});

const tracesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/traces',
  validateSearch: readTraceListSearch,
  component: lazyRouteComponent(() => import('./traces/trace-list-page.tsx'), 'TraceListPage'),
});

const traceRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/traces/$traceId',
  validateSearch: readTraceSearch,
  component: lazyRouteComponent(() => import('./traces/trace-page.tsx'), 'TracePage'),
});

const evaluationsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/evaluations',
  validateSearch: readEvaluationListSearch,
  component: lazyRouteComponent(() => import('./evaluations/evaluation-list-page.tsx'), 'EvaluationListPage'),
});

const newEvaluationRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/evaluations/new',
  validateSearch: (search): { model?: string; task_set?: string } => ({
    model: readText(search, 'model'),
    task_set: readText(search, 'task_set'),
  }),
  component: lazyRouteComponent(() => import('./evaluations/new-evaluation-page.tsx'), 'NewEvaluationPage'),
});

const evaluationRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/evaluations/$evaluationId',
  validateSearch: readEvaluationSearch,
  component: lazyRouteComponent(() => import('./evaluations/evaluation-page.tsx'), 'EvaluationPage'),
});

const sampleRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/evaluations/$evaluationId/samples/$itemId',
  validateSearch: readSampleSearch,
  component: lazyRouteComponent(() => import('./evaluations/sample-page.tsx'), 'SamplePage'),
});

const assessmentsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/red-team',
  validateSearch: readAssessmentListSearch,
  component: lazyRouteComponent(() => import('./red-team/assessment-list-page.tsx'), 'AssessmentListPage'),
});

const newAssessmentRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/red-team/new',
  component: lazyRouteComponent(() => import('./red-team/new-assessment-page.tsx'), 'NewAssessmentPage'),
});

const findingsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/red-team/findings',
  validateSearch: readFindingListSearch,
  component: lazyRouteComponent(() => import('./red-team/findings-page.tsx'), 'FindingsPage'),
});

const assessmentRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/red-team/$assessmentId',
  validateSearch: readAssessmentSearch,
  component: lazyRouteComponent(() => import('./red-team/assessment-page.tsx'), 'AssessmentPage'),
});

const optimizationRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/optimization',
  validateSearch: readJobListSearch,
  component: lazyRouteComponent(
    () => import('./optimization/optimization-list-page.tsx'),
    'OptimizationListPage',
  ),
});

const newJobRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/optimization/new',
  component: lazyRouteComponent(() => import('./optimization/new-job-page.tsx'), 'NewJobPage'),
});

const jobRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/optimization/$jobId',
  validateSearch: readJobSearch,
  component: lazyRouteComponent(() => import('./optimization/job-page.tsx'), 'JobPage'),
});

const trainingRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/training',
  validateSearch: readTrainingListSearch,
  component: lazyRouteComponent(() => import('./training/training-list-page.tsx'), 'TrainingListPage'),
});

const newTrainingRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/training/new',
  component: lazyRouteComponent(() => import('./training/new-job-page.tsx'), 'NewTrainingJobPage'),
});

const trainingJobRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/training/$jobId',
  validateSearch: readTrainingSearch,
  component: lazyRouteComponent(() => import('./training/job-page.tsx'), 'TrainingJobPage'),
});

const runtimesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/runtimes',
  validateSearch: readRuntimeListSearch,
  component: lazyRouteComponent(() => import('./runtimes/runtime-list-page.tsx'), 'RuntimeListPage'),
});

const runtimeRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/runtimes/$runtime',
  validateSearch: readRuntimeSearch,
  component: lazyRouteComponent(() => import('./runtimes/runtime-page.tsx'), 'RuntimePage'),
});

const readPageSearch = (search: Record<string, unknown>): { page?: number } => ({ page: readPage(search) });

const gatesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/gates',
  validateSearch: readPageSearch,
  component: lazyRouteComponent(() => import('./gates/gate-list-page.tsx'), 'GateListPage'),
});

const gateRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/gates/$gate',
  validateSearch: readPageSearch,
  component: lazyRouteComponent(() => import('./gates/gate-page.tsx'), 'GatePage'),
});

const checkRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/gates/$gate/checks/$checkId',
  component: lazyRouteComponent(() => import('./gates/check-page.tsx'), 'CheckPage'),
});

const journeyRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/capabilities/$capability/journey',
  validateSearch: readPageSearch,
  component: lazyRouteComponent(() => import('./journey/journey-page.tsx'), 'JourneyPage'),
});

const lineageRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/lineage',
  validateSearch: readLineageSearch,
  component: lazyRouteComponent(() => import('./lineage/lineage-page.tsx'), 'LineagePage'),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    homeRoute,
    signInRoute,
    invitationRoute,
    deviceRoute,
    welcomeRoute,
    workspaceRoute.addChildren([
      overviewRoute,
      sessionsRoute,
      sessionRoute,
      tracesRoute,
      traceRoute,
      evaluationsRoute,
      newEvaluationRoute,
      evaluationRoute,
      sampleRoute,
      assessmentsRoute,
      newAssessmentRoute,
      findingsRoute,
      assessmentRoute,
      optimizationRoute,
      newJobRoute,
      jobRoute,
      trainingRoute,
      newTrainingRoute,
      trainingJobRoute,
      runtimesRoute,
      runtimeRoute,
      gatesRoute,
      gateRoute,
      checkRoute,
      journeyRoute,
      lineageRoute,
    ]),
  ]),
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

/** Redirects to the sign-in page, and new users to the page where they choose a username. */
async function requireSignedIn(to: string): Promise<void> {
  const state = await login.restore();
  if (!('user' in state)) throw redirect({ to: '/sign-in', search: { to } });
  if (!state.user.onboarding_complete && !to.startsWith('/welcome')) throw redirect({ to: '/welcome' });
}

/** Accepts only paths of this site, so that the sign-in page cannot redirect to another one. */
function readLocalPath(path: string | undefined): string | undefined {
  return path && /^\/(?![/\\])/.test(path) ? path : undefined;
}
