/** The kinds of artifact: what they are called, and what describes them in a bundle. */

export const KINDS = ['dataset', 'model', 'task', 'capability'] as const;

export type Kind = (typeof KINDS)[number];

/** As it stands in paths and scopes. */
export const PLURALS = {
  dataset: 'datasets',
  model: 'models',
  task: 'tasks',
  capability: 'capabilities',
} as const satisfies Record<Kind, string>;

/** At the root of a bundle. */
export const MANIFEST_FILES = {
  dataset: 'dataset.yaml',
  model: 'model.yaml',
  task: 'task.yaml',
  capability: 'capability.yaml',
} as const satisfies Record<Kind, string>;

/** As a sentence begins with it. */
export const titleOf = (kind: string) => kind.charAt(0).toUpperCase() + kind.slice(1);
