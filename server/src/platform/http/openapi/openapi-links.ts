/** Describes relations of operations in the OpenAPI document: their tags, and links from an operation to the next ones. */
import type { SchemaNode } from './openapi-examples.ts';

export const TAGS: Readonly<Record<string, string>> = {
  Health: 'Whether the server works.',
  Platform: 'What this server can do.',
  Metrics: 'Figures for Prometheus.',
  'Sign-in': 'Sign up, sign in and out, and sign in a device.',
  User: 'The signed-in user.',
  'API keys': 'Keys for programs, each limited to what it needs.',
  Secrets: 'Write-only values that runtimes get as environment variables.',
  Organizations: 'Tenants: everything below one is invisible to all others.',
  Members: 'Members of an organization, and invitations.',
  Workspaces: 'Parts of an organization, open to all members or to some.',
  Projects: 'Labels for the sessions, traces and jobs of a workspace.',
  Storage: 'Credentials for the S3 of a workspace, and how much is stored.',
  Datasets: 'Versioned datasets: publish, read rows, download.',
  Models: 'Versioned model files, with aliases.',
  Tasks: 'Versioned tasks that agents are evaluated with.',
  Capabilities: 'Versioned bundles of agents, tools, skills and servers that runtimes install.',
  'Task sets': 'Ordered lists of tasks, with or without a fixed version.',
  Sessions: 'Transcripts of what agents did: save, search, follow, export.',
  Traces: 'Spans of OpenTelemetry, by trace.',
  Runtimes: 'Sandboxes that last: run commands, move files, reach ports.',
  Sandboxes: 'Sandboxes that runtimes and evaluations have started.',
  Inference: 'Models of all providers behind the APIs of OpenAI and Anthropic.',
  Usage: 'What was used, and what it cost.',
  Evaluations: 'Agents that solve tasks in sandboxes, and how well they do.',
  Optimization: 'Better prompts for an agent, found by measuring them.',
  Training: 'Fine-tuning of models on datasets and sessions.',
  Trainers: 'The protocol between the server and programs that train.',
  'Red team': 'Attacks on your own agents, their findings, and reports.',
  Gates: 'Rules that a version must pass before it gets a protected label.',
  Lineage: 'Sources of artifacts, and what is derived from them.',
  SQL: 'Questions in SQL about everything the caller may see.',
};

export interface DescribedResponse {
  description: string;
  content?: Record<string, { schema?: SchemaNode }>;
  links?: Record<string, object>;
}

interface LinkedOperation {
  readonly operationId: string;
  readonly responses: Record<string, DescribedResponse>;
}

type Paths = Readonly<Record<string, Readonly<Record<string, LinkedOperation>>>>;

/** Links each operation that creates a resource to those at the resource's path, which read, change or delete it. */
export function linkOperations(paths: Paths, components: Readonly<Record<string, SchemaNode>>): void {
  for (const [path, { post }] of Object.entries(paths)) {
    const created = post?.responses['201'];
    const schema = created?.content?.['application/json']?.schema;
    if (!created || !schema) continue;
    const { properties = {} } = components[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
    const links = Object.entries(paths).flatMap(([other, operations]) => {
      const parameter = new RegExp(`^${RegExp.escape(path)}/\\{(\\w+)\\}$`).exec(other)?.[1];
      const field = [parameter, 'id', 'name'].find((name) => name !== undefined && name in properties);
      if (parameter === undefined || field === undefined) return [];
      const outer = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, `$request.path.${name}`]);
      const parameters = Object.fromEntries([...outer, [parameter, `$response.body#/${field}`]]);
      return Object.values(operations).map(
        ({ operationId }) => [operationId, { operationId, parameters }] as const,
      );
    });
    if (links.length > 0) created.links = Object.fromEntries(links);
  }
}
