/** The scopes to which a credential may be narrowed: each operation requires exactly one `<resource>:<action>`. */

export const RESOURCES = [
  'user',
  'organization',
  'members',
  'workspaces',
  'projects',
  'datasets',
  'models',
  'capabilities',
  'tasks',
  'task_sets',
  'storage',
  'sessions',
  'traces',
  'usage',
  'exports',
  'inference',
  'runtimes',
  'evaluations',
  'training',
  'optimization',
  'airt',
] as const;

export const ACTIONS = ['read', 'write'] as const;

export type Resource = (typeof RESOURCES)[number];
export type Action = (typeof ACTIONS)[number];
export type Scope = `${Resource}:${Action}` | ExplicitScope;

/** Scopes that a key has only if it names them. Neither an access token nor a key without `allowed_scopes` has one. */
const EXPLICIT_SCOPES = ['training:work'] as const;
type ExplicitScope = (typeof EXPLICIT_SCOPES)[number];

export const isExplicit = (scope: Scope) => (EXPLICIT_SCOPES as readonly string[]).includes(scope);

/** The actions of a resource, including those that must be named explicitly. */
export const actionsOf = (resource: Resource) =>
  SCOPES.flatMap((scope) => {
    const [of, action = ''] = scope.split(':');
    return of === resource ? [action] : [];
  });

export const SCOPES = [
  ...RESOURCES.flatMap((resource) => ACTIONS.map((action): Scope => `${resource}:${action}`)),
  ...EXPLICIT_SCOPES,
];
