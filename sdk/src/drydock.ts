/** Entry point of the package: the client and all public exports. */
import { Client } from './client.ts';
import { type EventOptions, EventStream } from './event-stream.ts';
import { VERSION } from './operations.gen.ts';
import { type Query, toQueryString } from './request-url.ts';
import { ApiKeys } from './resources/api-keys.ts';
import { Assessments } from './resources/assessments.ts';
import { AuditLog } from './resources/audit-log.ts';
import { Auth } from './resources/auth.ts';
import { Capabilities } from './resources/capabilities.ts';
import { Chat } from './resources/chat.ts';
import { Credits } from './resources/credits.ts';
import { Datasets } from './resources/datasets.ts';
import { Device } from './resources/device.ts';
import { Embeddings } from './resources/embeddings.ts';
import { EvaluationItems } from './resources/evaluation-items.ts';
import { Evaluations } from './resources/evaluations.ts';
import { Exports } from './resources/exports.ts';
import { Findings } from './resources/findings.ts';
import { Gates } from './resources/gates.ts';
import { Health } from './resources/health.ts';
import { Inference } from './resources/inference.ts';
import { Invitations } from './resources/invitations.ts';
import { Lineage } from './resources/lineage.ts';
import { Members } from './resources/members.ts';
import { Messages } from './resources/messages.ts';
import { Models } from './resources/models.ts';
import { Optimization } from './resources/optimization.ts';
import { Organizations } from './resources/organizations.ts';
import { Platform } from './resources/platform.ts';
import { Projects } from './resources/projects.ts';
import { RedTeam } from './resources/red-team.ts';
import { Responses } from './resources/responses.ts';
import { RuntimeCapabilities } from './resources/runtime-capabilities.ts';
import { RuntimeFiles } from './resources/runtime-files.ts';
import { Runtimes } from './resources/runtimes.ts';
import { Sandboxes } from './resources/sandboxes.ts';
import { Secrets } from './resources/secrets.ts';
import { SessionGroups } from './resources/session-groups.ts';
import { Sessions } from './resources/sessions.ts';
import { Sql } from './resources/sql.ts';
import { Storage } from './resources/storage.ts';
import { TaskSets } from './resources/task-sets.ts';
import { Tasks } from './resources/tasks.ts';
import { Traces } from './resources/traces.ts';
import { Trainers } from './resources/trainers.ts';
import { Training } from './resources/training.ts';
import { Transcripts } from './resources/transcripts.ts';
import { User } from './resources/user.ts';
import { Workspaces } from './resources/workspaces.ts';
import { type ClientOptions, toTransportOptions } from './settings.ts';
import { type CallOptions, type Operation, Transport } from './transport.ts';

export { DrydockError, type DrydockErrorType, isDrydockError } from './errors.ts';
export type { EventOptions, EventStream, ServerEvent } from './event-stream.ts';
export type { LiveOptions, LiveStream } from './live-stream.ts';
export type * from './models.gen.ts';
export type { ItemOf, List } from './pages.ts';
export type { Bytes } from './request-body.ts';
export type {
  InOrganization,
  InWorkspace,
  OneAssessment,
  OneCapability,
  OneEvaluation,
  OneFinding,
  OneGate,
  OneGateCheck,
  OneItem,
  OneOptimizationJob,
  OneRedTeamProject,
  OneReport,
  OneRuntime,
  OneSandbox,
  OneSession,
  OneTrace,
  OneTrainingJob,
  OneTransform,
} from './resource.ts';
export type { ClientOptions } from './settings.ts';
export type { Terminal, TerminalOptions } from './terminal.ts';
export type { CallOptions, Fetch } from './transport.ts';

/** A request for an operation without a method in this version of the client. */
export interface RawRequest extends Operation {
  readonly query?: Query;
  readonly body?: unknown;
}

/**
 * One client per server and credential; it holds no connection and need not be closed.
 *
 * @example
 * ```ts
 * import { Drydock } from '@drydock/sdk';
 *
 * const drydock = new Drydock(); // or new Drydock({ baseUrl: 'https://drydock.example.com', apiKey: 'dd_…' })
 * const user = await drydock.user.get();
 * console.log(user.username); // → owner
 * ```
 */
export class Drydock {
  readonly health: Health;
  readonly auth: Auth;
  readonly device: Device;
  readonly user: User;
  readonly apiKeys: ApiKeys;
  readonly secrets: Secrets;
  readonly organizations: Organizations;
  readonly auditLog: AuditLog;
  readonly members: Members;
  readonly invitations: Invitations;
  readonly workspaces: Workspaces;
  readonly projects: Projects;
  readonly datasets: Datasets;
  readonly models: Models;
  readonly tasks: Tasks;
  readonly capabilities: Capabilities;
  readonly taskSets: TaskSets;
  readonly sessions: Sessions;
  readonly transcripts: Transcripts;
  readonly sessionGroups: SessionGroups;
  readonly lineage: Lineage;
  readonly traces: Traces;
  readonly evaluations: Evaluations;
  readonly evaluationItems: EvaluationItems;
  readonly optimization: Optimization;
  readonly training: Training;
  readonly trainers: Trainers;
  readonly assessments: Assessments;
  readonly findings: Findings;
  readonly redTeam: RedTeam;
  readonly gates: Gates;
  readonly runtimes: Runtimes;
  readonly runtimeCapabilities: RuntimeCapabilities;
  readonly runtimeFiles: RuntimeFiles;
  readonly sandboxes: Sandboxes;
  readonly inference: Inference;
  readonly chat: Chat;
  readonly responses: Responses;
  readonly messages: Messages;
  readonly embeddings: Embeddings;
  readonly credits: Credits;
  readonly sql: Sql;
  readonly exports: Exports;
  readonly storage: Storage;
  readonly platform: Platform;
  readonly #transport: Transport;

  constructor(options: ClientOptions = {}) {
    this.#transport = new Transport(toTransportOptions(options, VERSION));
    const client = new Client(this.#transport);
    this.health = new Health(client);
    this.auth = new Auth(client);
    this.device = new Device(client);
    this.user = new User(client);
    this.apiKeys = new ApiKeys(client);
    this.secrets = new Secrets(client);
    this.organizations = new Organizations(client);
    this.auditLog = new AuditLog(client);
    this.members = new Members(client);
    this.invitations = new Invitations(client);
    this.workspaces = new Workspaces(client);
    this.projects = new Projects(client);
    this.datasets = new Datasets(client);
    this.models = new Models(client);
    this.tasks = new Tasks(client);
    this.capabilities = new Capabilities(client);
    this.taskSets = new TaskSets(client);
    this.sessions = new Sessions(client);
    this.transcripts = new Transcripts(client);
    this.sessionGroups = new SessionGroups(client);
    this.lineage = new Lineage(client);
    this.traces = new Traces(client);
    this.evaluations = new Evaluations(client);
    this.evaluationItems = new EvaluationItems(client);
    this.optimization = new Optimization(client);
    this.training = new Training(client);
    this.trainers = new Trainers(client);
    this.assessments = new Assessments(client);
    this.findings = new Findings(client);
    this.redTeam = new RedTeam(client);
    this.gates = new Gates(client);
    this.runtimes = new Runtimes(client);
    this.runtimeCapabilities = new RuntimeCapabilities(client);
    this.runtimeFiles = new RuntimeFiles(client);
    this.sandboxes = new Sandboxes(client);
    this.inference = new Inference(client);
    this.chat = new Chat(client);
    this.responses = new Responses(client);
    this.messages = new Messages(client);
    this.embeddings = new Embeddings(client);
    this.credits = new Credits(client);
    this.sql = new Sql(client);
    this.exports = new Exports(client);
    this.storage = new Storage(client);
    this.platform = new Platform(client);
  }

  /**
   * Calls an operation without a method in this client, for servers that are newer than it.
   *
   * @example
   * ```ts
   * const health = await drydock.request<{ status: string }>({ method: 'GET', path: '/api/v1/health' });
   * console.log(health.status); // → ok
   * ```
   */
  request<ResponseBody>({ query, ...request }: RawRequest, options?: CallOptions): Promise<ResponseBody> {
    const queryString = toQueryString(query);
    return this.#transport.send({ ...request, queryString }, options) as Promise<ResponseBody>;
  }

  /** Follows an event stream without a method in this client. */
  events<Data = unknown>(path: string, options?: EventOptions): EventStream<Data> {
    return new EventStream<Data>(this.#transport, { method: 'GET', path }, options);
  }
}
