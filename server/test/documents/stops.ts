/** The documents of the tours, in the order in which a newcomer could read them. */

export const BASICS = [
  'README.md',
  'docs/guides/team.md',
  'docs/guides/registry.md',
  'docs/guides/runtimes.md',
  'docs/guides/capabilities.md',
  'docs/guides/models.md',
  'docs/guides/use-any-client.md',
  'docs/guides/sessions.md',
  'docs/guides/traces.md',
  'docs/guides/sql.md',
  'docs/guides/storage-s3.md',
] as const;

/** Guides to jobs, which take longer. */
export const JOBS = [
  'docs/guides/evaluate-an-agent.md',
  'docs/guides/attack-your-own-agent.md',
  'docs/guides/train-from-sessions.md',
  'docs/guides/improve-an-agent.md',
  'docs/guides/close-the-loop.md',
  'docs/guides/bring-your-own-agent.md',
] as const;

export const OPERATE = ['docs/operate/metrics.md', 'docs/reference/simulated-models.md'] as const;
