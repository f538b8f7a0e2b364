/** The target of an assessment, by its kind. */
import type { FindingContext } from '../context.ts';
import { agentTarget } from './agent-target.ts';
import { httpTarget } from './http-target.ts';
import { modelTarget } from './model-target.ts';
import type { Target } from './target.ts';

export function createTarget(context: FindingContext): Target {
  const { target, targetModel } = context.assessment.execution;
  if (target.kind === 'http') return httpTarget(context, target.config);
  if (targetModel === null) throw new Error('the plan has no model for the target');
  return target.kind === 'agent'
    ? agentTarget(context, targetModel, target.config)
    : modelTarget(context, targetModel, target.config);
}
