/** What a credential may be narrowed to: each operation needs exactly one `<resource>:<action>`. */

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
export type Scope = `${Resource}:${Action}`;

export const SCOPES = RESOURCES.flatMap((resource) =>
  ACTIONS.map((action): Scope => `${resource}:${action}`),
);
