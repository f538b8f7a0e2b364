/** Composes the whole application: its parts and the order in which they are created. */
import type { FastifyInstance } from 'fastify';
import { sql as statement } from 'kysely';
import { createAccountReader } from './accounts/access.ts';
import { accountRoutes } from './accounts/routes.ts';
import type { WorkspaceContent } from './accounts/workspaces/store.ts';
import { type AirtOptions, airtRoutes } from './airt/routes.ts';
import { deleteAllAssessments } from './airt/update-assessment.ts';
import type { Config } from './config.ts';
import { deleteAllEvaluations } from './evaluations/control/deletion.ts';
import { evaluationRoutes } from './evaluations/routes.ts';
import { deleteAllExports, forgetNewExports } from './exports/jobs/removal.ts';
import { sqlRoutes } from './exports/routes.ts';
import { gateRoutes } from './gates/routes.ts';
import { deleteAllGates } from './gates/store.ts';
import { ModelPrices } from './inference/prices/model-prices.ts';
import { CallRecorder } from './inference/recording/call-recorder.ts';
import { inferenceRoutes } from './inference/routes.ts';
import { Inference } from './inference/service.ts';
import { journeyRoutes } from './journeys/routes.ts';
import type { LineageOptions } from './lineage/read-lineage.ts';
import { lineageRoutes } from './lineage/routes.ts';
import { openSqlTables } from './open-sql-tables.ts';
import { deleteAllJobs } from './optimization/control/deletion.ts';
import { type OptimizationOptions, optimizationRoutes } from './optimization/routes.ts';
import { type LocalFiles, openLocalFiles } from './platform/analytics/local-files.ts';
import { readCredential } from './platform/auth/credential.ts';
import type { OrgScope } from './platform/auth/principal.ts';
import { createSigner } from './platform/auth/signing.ts';
import type { Db } from './platform/db/connect.ts';
import { EventHub } from './platform/events/hub.ts';
import { serveConsole } from './platform/http/built-in/console.ts';
import { serveDocs } from './platform/http/built-in/docs.ts';
import { healthRoutes } from './platform/http/built-in/health.ts';
import { metricsRoutes } from './platform/http/built-in/metrics-routes.ts';
import { EventStreams } from './platform/http/events/event-streams.ts';
import { API_PREFIX, mount } from './platform/http/mount.ts';
import { documentOperations } from './platform/http/openapi/openapi.ts';
import type { RouteGroup } from './platform/http/operations.ts';
import { createServer, handleUnknownRoutes } from './platform/http/server.ts';
import type { Upgrades } from './platform/http/upgrades.ts';
import { Idempotency } from './platform/idempotency/idempotency.ts';
import type { JobQueue } from './platform/jobs/queue.ts';
import { jobRoutes } from './platform/jobs/routes.ts';
import { RateLimiter } from './platform/limits/rate-limiter.ts';
import { createRequestCheck, rateClassOf } from './platform/limits/request-checks.ts';
import { forgetLineage } from './platform/lineage/lineage.ts';
import type { Log } from './platform/log.ts';
import { Metrics } from './platform/metrics/metrics.ts';
import { RequestMetrics } from './platform/metrics/request-metrics.ts';
import type { ObjectStorage } from './platform/object-storage/object-storage.ts';
import { createVault } from './platform/secrets/envelope.ts';
import type { DiskReserve } from './platform/storage-limits/disk-reserve.ts';
import { registryRoutes } from './registry/routes.ts';
import { McpConnections } from './runtimes/capabilities/mcp/connections.ts';
import { FleetOperator } from './runtimes/hosts/fleet-operator.ts';
import { serveHost } from './runtimes/hosts/internal-routes.ts';
import type { RuntimeOperator } from './runtimes/operator.ts';
import { endRuntimesOf } from './runtimes/removal/members.ts';
import { deleteAllRuntimes, forgetNewRuntimes } from './runtimes/removal/workspaces.ts';
import { runtimeRoutes } from './runtimes/routes.ts';
import type { SandboxHost } from './runtimes/sandbox-host.ts';
import { findSandboxPrincipal } from './runtimes/service.ts';
import type { TerminalTimings } from './runtimes/terminals/terminal-socket.ts';
import { deleteAllSessions } from './sessions/metadata/emptying.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { SessionWriter } from './sessions/save/session-writer.ts';
import { ColumnIndex } from './sessions/search/columns/column-index.ts';
import { credentialRoutes } from './storage/credentials/routes.ts';
import { taskSetRoutes } from './task-sets/routes.ts';
import { SpanIngest } from './traces/ingest/span-ingest.ts';
import { deleteAllTraces, forgetSpans } from './traces/retention/emptying.ts';
import { traceRoutes } from './traces/routes.ts';
import { deleteAllTrainingJobs } from './training/control/deletion.ts';
import type { LocalTrainer } from './training/reading/backends.ts';
import { type TrainingOptions, trainingRoutes } from './training/routes.ts';
import { LocalModels } from './training/serving/local-models.ts';
import { usageRoutes } from './usage/routes.ts';
import { VERSION } from './version.ts';

/** Exceeds the time limit of a query. */
const QUERY_ROWS_MS = 60_000;

export interface AppOptions {
  readonly config: Config;
  readonly secretKey: string;
  /** The second accepted key while the secret key is being rotated: statements and values made with it stay valid. */
  readonly otherSecretKey?: string | undefined;
  readonly db: Db;
  readonly storage: ObjectStorage;
  /** The free-space reserve of the disk that holds this process's data; without a reserve, no request is refused for lack of space. */
  readonly disk?: DiskReserve | undefined;
  /** Shared with the background of the process; an application that is given none opens its own. */
  readonly inference?: Inference;
  /** Shared with the process; an application without it starts no runtimes. */
  readonly sandboxes?:
    | (Pick<SandboxHost, 'operator'> & Partial<Pick<SandboxHost, 'own' | 'serveBy'>>)
    | undefined;
  /** Shared with the process; an application that is given none opens its own. */
  readonly local?: LocalFiles;
  /** The job queue; when omitted, a job waits until a worker's clean-up finds its row. */
  readonly queue?: Pick<JobQueue, 'enqueue'>;
  /** The database address that bypasses any pooler, for LISTEN; when omitted, events are polled. */
  readonly directUrl?: string;
  readonly log: Log;
  /** Additional route groups mounted like the application's own, for benchmarks and tests. */
  readonly moreRoutes?: readonly RouteGroup[];
  /** Shared with the process; an application that is given none has its own. */
  readonly metrics?: Metrics;
  readonly terminalTimings?: Partial<TerminalTimings>;
  /** The state of the trainer beside this process. */
  readonly localTrainer?: (() => LocalTrainer) | undefined;
  /** Shared with the process; an application without it serves no models. */
  readonly localModels?: LocalModels | undefined;
}

export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { config, secretKey, otherSecretKey, db, storage, directUrl, log } = options;
  const { moreRoutes = [], metrics = new Metrics(log), queue = NO_QUEUE } = options;
  const local = options.local ?? (await openLocalFiles());
  const signer = createSigner(secretKey, otherSecretKey);
  const vault = createVault(secretKey, otherSecretKey);
  const accounts = createAccountReader(db, signer, (id) => findSandboxPrincipal(db, id));
  const limiter = new RateLimiter({ db, limits: config.rateLimits, log });
  const checkRequest = createRequestCheck({ limiter, minClientVersion: config.minClientVersion });
  const idempotency = new Idempotency({ db, vault, log });
  const hub = new EventHub({ db, listenUrl: directUrl, log });
  const streams = new EventStreams({ db, hub });
  const writer = new SessionWriter(db);
  const index = new ColumnIndex({ db, log });
  const prices = new ModelPrices(db, config.inference.priceList);
  const ingest = new SpanIngest(db, (organizationId) => prices.of(organizationId));
  const { publicUrl, runtimeLimits, signup, credits, vendorWords } = config;
  const { allowPrivateProviders: allowsPrivate } = config.inference;
  const inference = options.inference ?? new Inference({ db, vault, log, credits, allowsPrivate });
  const recorder = new CallRecorder({ db, writeSpan: (scope, body) => takeSpan(ingest, scope, body), log });
  const sql = openSqlTables({ db, directUrl, statementTimeoutMs: QUERY_ROWS_MS });
  const rules = { platform: runtimeLimits, credits };
  const operator = options.sandboxes?.operator ?? new FleetOperator({ db, signer, rules });
  const common = { db, signer, storage, local, queue, inference, vendorWords, allowsPrivate, credits };
  const connections = new McpConnections();
  const app = createServer({
    log,
    trustedProxies: config.trustedProxies,
    metrics: new RequestMetrics(metrics),
  });
  addGauges(metrics, { streams, index, ingest, upgrades: app.upgrades });
  await documentOperations(app, VERSION);
  const disk = config.database.url === undefined ? options.disk : undefined;
  mount(app, { reader: accounts, checkRequest, idempotency, streams, disk }, [
    healthRoutes({
      version: VERSION,
      checkDatabase: () => statement`SELECT 1`.execute(db),
      checkObjectStorage: () => storage.check(),
      findShortage: () => options.disk?.findShortage() ?? Promise.resolve(undefined),
      jobs: config.role === 'server' ? 'disabled' : 'ok',
    }),
    jobRoutes({ db, signer }),
    metricsRoutes(metrics),
    ...accountRoutes({
      db,
      signer,
      vault,
      signup,
      publicUrl,
      runtimeLimits,
      workspaceContent: workspaceContent(operator, storage),
      memberRemoved: (removed) => endRuntimesOf(db, operator, removed),
    }),
    credentialRoutes(storage),
    ...registryRoutes({ db, storage, local, queue }),
    ...taskSetRoutes(db),
    ...sessionRoutes({ db, writer, index }),
    ...traceRoutes({ db, signer, ingest }),
    ...runtimeRoutes({ db, signer, operator, connections, terminalTimings: options.terminalTimings }),
    ...inferenceRoutes({ db, vault, inference, recorder }),
    ...usageRoutes({ db, signer, credits }),
    ...engineRoutes({ ...common, ...trainerParts(options) }),
    ...sqlRoutes({ db, storage, local, queue, sql }),
    ...moreRoutes,
  ]);
  serveDocs(app, API_PREFIX, checkRequest, !(await serveConsole(app)));
  serveHost(app, signer, options.sandboxes?.own);
  handleUnknownRoutes(app, async (request, reply) => {
    const { principal } = await accounts.find(readCredential(request.headers));
    await checkRequest({ request, reply, principal, rateClass: rateClassOf(request.method) });
  });
  app.addHook('onClose', async () => {
    await Promise.all([writer.drain(), ...[hub, limiter, index, ingest, connections].map(close)]);
    if (!options.inference) await inference.close();
    if (!options.local) await local.close();
  });
  await app.ready();
  options.sandboxes?.serveBy?.(app.routing);
  return app;
}

const close = (part: { close(): unknown }) => part.close();

/** Stores a span that the platform itself has written. */
async function takeSpan(ingest: SpanIngest, scope: OrgScope, text: string): Promise<void> {
  const body = new Uint8Array(Buffer.from(text));
  await ingest.take(
    scope,
    { body, contentType: 'application/json', contentEncoding: 'identity' },
    () => true,
  );
}

/** The process parts that training uses; an application without them starts no trainer and serves no models. */
const trainerParts = ({ db, storage, localTrainer, localModels }: AppOptions) => ({
  localTrainer:
    localTrainer ??
    (() => ({ installed: false, detail: 'This process does not start a trainer by itself.' })),
  localModels: localModels ?? new LocalModels({ db, storage, program: undefined }),
});

/** Routes of evaluations, optimization, training, red teaming, gates and the lineage of their results, which share their parts. */
const engineRoutes = (
  options: OptimizationOptions & TrainingOptions & LineageOptions & Omit<AirtOptions, 'version'>,
): RouteGroup[] => [
  ...evaluationRoutes(options),
  ...optimizationRoutes(options),
  ...trainingRoutes(options),
  ...airtRoutes({ ...options, version: VERSION }),
  ...gateRoutes(options),
  ...lineageRoutes(options),
  journeyRoutes(options.db),
];

interface Gauged {
  readonly streams: EventStreams;
  readonly index: ColumnIndex;
  readonly ingest: SpanIngest;
  readonly upgrades: Upgrades;
}

function addGauges(metrics: Metrics, { streams, index, ingest, upgrades }: Gauged): void {
  metrics.addGauge({
    name: 'drydock_taken_connections',
    help: 'Connections to this process that speak another protocol, such as that of WebSockets.',
    read: () => upgrades.openCount,
  });
  metrics.addGauge({
    name: 'drydock_event_streams',
    help: 'Readers of events that are connected to this process.',
    read: () => streams.openCount,
  });
  metrics.addGauge({
    name: 'drydock_session_index_bytes',
    help: 'Memory of this process that holds sessions to be counted and listed.',
    read: () => index.bytes,
  });
  metrics.addGauge({
    name: 'drydock_trace_ingest_bytes',
    help: 'Memory budget that is taken by spans on their way into the database.',
    read: () => ingest.bodies.bytes,
  });
}

const workspaceContent = (operator: RuntimeOperator, storage: ObjectStorage): WorkspaceContent => ({
  empty: async (db, scope) => {
    await deleteAllExports(db, storage, scope);
    await deleteAllGates(db, scope);
    await deleteAllAssessments(db, scope);
    await deleteAllJobs(db, scope);
    await deleteAllTrainingJobs(db, scope);
    await deleteAllEvaluations(db, scope);
    await deleteAllRuntimes(db, operator, scope);
    await deleteAllSessions(db, scope);
    await deleteAllTraces(db, scope);
    await forgetLineage(db, scope);
  },
  forgetRest: async (trx, scope) => {
    await deleteAllGates(trx, scope);
    await deleteAllAssessments(trx, scope);
    await deleteAllJobs(trx, scope);
    await deleteAllTrainingJobs(trx, scope);
    await deleteAllEvaluations(trx, scope);
    await forgetNewRuntimes(trx, scope);
    await forgetSpans(trx, scope);
    await forgetLineage(trx, scope);
    await forgetNewExports(trx, scope);
  },
});

const NO_QUEUE = { enqueue: () => Promise.resolve() };
