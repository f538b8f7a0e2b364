/** The kinds of artifact: their names, and the manifest file of each in a bundle. */

export const KINDS = ['dataset', 'model', 'task', 'capability'] as const;

export type Kind = (typeof KINDS)[number];

/** Plural names, as used in paths and scopes. */
export const PLURALS = {
  dataset: 'datasets',
  model: 'models',
  task: 'tasks',
  capability: 'capabilities',
} as const satisfies Record<Kind, string>;

/** File names at the root of a bundle. */
export const MANIFEST_FILES = {
  dataset: 'dataset.yaml',
  model: 'model.yaml',
  task: 'task.yaml',
  capability: 'capability.yaml',
} as const satisfies Record<Kind, string>;

/** Capitalizes a kind for the start of a sentence. */
export const titleOf = (kind: string) => kind.charAt(0).toUpperCase() + kind.slice(1);
