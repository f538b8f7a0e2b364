/** Resolves the workspace and project of spans from their resource, as far as the caller may write to them. */
import {
  findOwnProjects,
  findOwnWorkspaces,
  type OwnProject,
  type OwnWorkspace,
} from '../../accounts/service.ts';
import type { OrgScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { isSlug, isUuid } from '../../platform/fields.ts';
import type { Claim } from './span-chunk.ts';
import type { Place } from './span-writer.ts';

export interface Claims {
  readonly workspace: Claim;
  readonly project: Claim;
  readonly spanProject?: string | undefined;
}

/** A place, or the reason why there is none. */
export type Found = Place | string;

interface Known {
  readonly workspaces: readonly OwnWorkspace[];
  readonly projects: readonly OwnProject[];
}

/** Maximum number of remembered places; clients that send made-up names cause further lookups. */
const MAX_REMEMBERED = 2_000;

/** Finds the places of one request and remembers the most recent lookups. */
export class PlaceFinder {
  private readonly db: Db;
  private readonly scope: OrgScope;
  private readonly found = new Map<string, Found>();

  constructor(db: Db, scope: OrgScope) {
    this.db = db;
    this.scope = scope;
  }

  /** Finds all places with one lookup, or with two when projects are named. */
  async find(sources: readonly Claims[]): Promise<Found[]> {
    const found = sources.map((claims) => refuseForm(claims) ?? this.found.get(keyOf(claims)));
    const unknown = sources.filter((_, index) => found[index] === undefined);
    if (unknown.length === 0) return found as Found[];
    const known = await this.lookUp(unknown);
    if (this.found.size > MAX_REMEMBERED) this.found.clear();
    for (const claims of unknown) this.found.set(keyOf(claims), choose(this.scope, known, claims));
    return sources.map((claims, index) => found[index] ?? (this.found.get(keyOf(claims)) as Found));
  }

  private async lookUp(sources: readonly Claims[]): Promise<Known> {
    const workspaces = sources.map(({ workspace }) => workspace);
    const projects = sources.flatMap((claims) => claims.project ?? findSpanProject(claims) ?? []);
    const only = this.scope.principal.apiKey?.workspaceId;
    return {
      workspaces: await findOwnWorkspaces(this.db, this.scope, toNamed([...workspaces, only])),
      projects: projects.length > 0 ? await findOwnProjects(this.db, this.scope, toNamed(projects)) : [],
    };
  }
}

const keyOf = (claims: Claims) =>
  `${claims.workspace ?? ''} ${claims.project ?? ''} ${findSpanProject(claims) ?? ''}`;

const findSpanProject = ({ spanProject }: Claims) =>
  spanProject !== undefined && isName(spanProject) ? spanProject : undefined;

function toNamed(given: readonly Claim[]) {
  const names = [...new Set(given.filter((name) => typeof name === 'string'))];
  return { ids: names.filter(isUuid), keys: names.filter((name) => !isUuid(name)) };
}

/** Rejects names that cannot exist without looking them up or remembering them: a name may be as long as a body. */
function refuseForm({ workspace, project }: Claims): string | undefined {
  if (workspace !== undefined && !isName(workspace)) return noWorkspace(workspace);
  return project === undefined || isName(project) ? undefined : noProject(project);
}

const isName = (claim: string | null) => claim !== null && (isSlug(claim) || isUuid(claim));

/** A span's own project is only a hint: spans that name an unknown project are stored without one. */
function choose(scope: OrgScope, known: Known, claims: Claims): Found {
  const named = findSpanProject(claims);
  const found = named === undefined ? undefined : chooseNamed(scope, known, { ...claims, project: named });
  return found !== undefined && typeof found !== 'string' ? found : chooseNamed(scope, known, claims);
}

function chooseNamed(scope: OrgScope, known: Known, { workspace, project }: Claims): Found {
  if (typeof workspace === 'string') {
    const found = known.workspaces.find(isNamed(workspace));
    return found ? within(known, found.id, project) : noWorkspace(workspace);
  }
  const only = scope.principal.apiKey?.workspaceId;
  const fallback = known.workspaces.find(({ id, isDefault }) => (only ? id === only : isDefault));
  if (typeof project === 'string') return byProject(known, project, fallback);
  if (fallback) return { workspaceId: fallback.id, projectId: null };
  return only ? NO_WORKSPACE_OF_KEY : NO_DEFAULT_WORKSPACE;
}

function within({ projects }: Known, workspaceId: string, project: Claim): Found {
  if (typeof project !== 'string') return { workspaceId, projectId: null };
  const found = projects.filter(isNamed(project)).find((one) => one.workspaceId === workspaceId);
  return found ? { workspaceId, projectId: found.id } : noProject(project);
}

/** A key may exist in several workspaces: the project in the default workspace wins when no workspace is named. */
function byProject({ projects }: Known, project: string, fallback: OwnWorkspace | undefined): Found {
  const named = projects.filter(isNamed(project));
  const [first, second] = named;
  const chosen =
    named.find(({ workspaceId }) => workspaceId === fallback?.id) ?? (second ? undefined : first);
  if (chosen) return { workspaceId: chosen.workspaceId, projectId: chosen.id };
  return first ? severalProjects(project) : noProject(project);
}

const isNamed = (name: string) => (one: { readonly id: string; readonly key: string }) =>
  isUuid(name) ? one.id === name.toLowerCase() : one.key === name;

const MAX_NAME = 80;

function quote(claim: string | null): string {
  if (claim === null) return 'that is given as something else than text';
  return claim.length > MAX_NAME ? `"${claim.slice(0, MAX_NAME)}…"` : `"${claim}"`;
}

const noWorkspace = (claim: string | null) =>
  `the workspace ${quote(claim)} does not exist, or you may not write to it; drydock.workspace of the resource takes the id or the key of one.`;

const noProject = (claim: string | null) =>
  `the project ${quote(claim)} does not exist there, or you may not write to its workspace; drydock.project of the resource takes the id or the key of one.`;

const severalProjects = (project: string) =>
  `several workspaces have a project ${quote(project)}; name one of them by drydock.workspace of the resource.`;

const NO_WORKSPACE_OF_KEY = 'you may not write to the workspace that this key is limited to.';

const NO_DEFAULT_WORKSPACE =
  "you may not write to the organization's default workspace; name another by drydock.workspace of the resource.";
