/** The catalogues: attacks, transforms and categories of goals. */
import { z } from 'zod';
import { invalidValue, notFound } from '../../platform/errors.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import { PythonRandom } from '../../platform/random/python-random.ts';
import { ATTACKS } from '../../platform/red-team/attacks/catalogue.ts';
import { GOAL_CATEGORIES } from '../../platform/red-team/goals/goal-categories.ts';
import { severityMatrixOf } from '../../platform/red-team/scoring/severity.ts';
import { findTransform, TRANSFORMS } from '../../platform/red-team/transforms/catalogue.ts';
import { MAY_READ } from '../schema.ts';
import {
  AirtAttack,
  AirtGoalCategory,
  AirtTransform,
  TransformParams,
  TransformPreviewRequest,
  TransformPreviewResponse,
} from './schema.ts';

const toJsonSchema = (params: z.ZodObject) => {
  const { $schema: _, ...schema } = z.toJSONSchema(params, { io: 'input' });
  return schema as Record<string, unknown>;
};

const attacks = () =>
  ATTACKS.map(({ name, summary, paper, turns, targets, params, callsPerTrial, stopsEarly, threshold }) => ({
    name,
    summary,
    paper,
    turns,
    targets: [...targets],
    params: toJsonSchema(params),
    calls_per_trial: { ...callsPerTrial },
    stops_early: stopsEarly,
    threshold: threshold ?? null,
  }));

const transforms = () =>
  TRANSFORMS.map((transform) => ({
    name: transform.name,
    group: transform.group,
    summary: transform.summary,
    params: toJsonSchema(transform.params),
    is_codec: !transform.isModelBased && transform.inverse !== undefined,
    is_model_based: transform.isModelBased,
  }));

const categories = () =>
  GOAL_CATEGORIES.map(({ name, description, goals }) => ({
    name,
    description,
    goals: [...goals],
    severities: severityMatrixOf(name),
  }));

export function catalogueRoutes() {
  return workspaceRoutes('Red team', (on) => {
    on.get(
      '/airt/attacks',
      { id: 'listAttacks', summary: 'List the attacks', ...MAY_READ, response: z.array(AirtAttack) },
      async () => attacks(),
    );
    on.get(
      '/airt/transforms',
      { id: 'listTransforms', summary: 'List the transforms', ...MAY_READ, response: z.array(AirtTransform) },
      async () => transforms(),
    );
    on.get(
      '/airt/goal-categories',
      {
        id: 'listGoalCategories',
        summary: 'List the categories of goals, with harmless goals to start from',
        ...MAY_READ,
        response: z.array(AirtGoalCategory),
      },
      async () => categories(),
    );
    on.post(
      '/airt/transforms/:name/preview',
      {
        id: 'previewTransform',
        summary: 'Preview a transform on a text',
        ...MAY_READ,
        params: TransformParams,
        body: TransformPreviewRequest,
        response: TransformPreviewResponse,
        idempotency: false,
      },
      async ({ params, body }) => ({ text: preview(params.name, body) }),
    );
  });
}

/** Random transforms draw from the seed 0 here. */
function preview(name: string, { text, params }: z.output<typeof TransformPreviewRequest>): string {
  const transform = findTransform(name);
  if (!transform) throw notFound(`Transform "${name}"`);
  if (transform.isModelBased)
    throw invalidValue(
      ['path', 'name'],
      `"${name}" is done by the attacker model of an assessment; it has no preview`,
    );
  const checked = transform.params.safeParse(params ?? {});
  const [issue] = checked.error?.issues ?? [];
  if (issue) throw invalidValue(['body', 'params', ...issue.path.map(String)], issue.message);
  return transform.apply(text, checked.data ?? {}, new PythonRandom(0));
}
