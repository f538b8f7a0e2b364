/** Catalogues of the red team, and the summary of a project. */
import type {
  AirtAttack,
  AirtGoalCategory,
  AirtProjectSummary,
  AirtTransform,
  TransformPreviewRequest,
  TransformPreviewResponse,
} from '../models.gen.ts';
import { type InWorkspace, type OneRedTeamProject, type OneTransform, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * const where = { org: 'main', workspace: 'main' };
 * const attacks = await drydock.redTeam.attacks(where);
 * console.log(attacks.some(({ name }) => name === 'crescendo')); // → true
 *
 * const { text } = await drydock.redTeam.preview({ ...where, name: 'base64' }, { text: 'hello' });
 * console.log(text); // → aGVsbG8=
 * ```
 */
export class RedTeam extends Resource {
  attacks(where: InWorkspace, options?: CallOptions): Promise<AirtAttack[]> {
    return this.client.call('listAttacks', { path: where }, options);
  }

  transforms(where: InWorkspace, options?: CallOptions): Promise<AirtTransform[]> {
    return this.client.call('listTransforms', { path: where }, options);
  }

  /** Lists categories with harmless goals to start from. */
  goalCategories(where: InWorkspace, options?: CallOptions): Promise<AirtGoalCategory[]> {
    return this.client.call('listGoalCategories', { path: where }, options);
  }

  /** Applies a transform to a text. */
  preview(
    where: OneTransform,
    request: TransformPreviewRequest,
    options?: CallOptions,
  ): Promise<TransformPreviewResponse> {
    return this.client.call('previewTransform', { path: where, body: request }, options);
  }

  /** Returns open findings by severity, rates, and the trend over assessments. */
  summary(where: OneRedTeamProject, options?: CallOptions): Promise<AirtProjectSummary> {
    return this.client.call('getRedTeamSummary', { path: where }, options);
  }
}
