/** The reasons for which a run ends. Conditions are checked between iterations, so an iteration may overshoot a budget. */
import type { Run } from './run.ts';

export async function stopReason(run: Run): Promise<string | undefined> {
  const { settings } = run;
  if (run.failure !== undefined) return 'reflection_failed';
  const requested = await settings.stop();
  if (requested !== undefined) return requested;
  const reached: readonly (readonly [name: string, value: number, limit: number | undefined])[] = [
    ['max_metric_calls', run.metricCalls, settings.max_metric_calls],
    ['max_trials', run.iteration + 1, settings.max_trials],
    [
      'max_trials_without_improvement',
      run.iterationsWithoutImprovement,
      settings.max_trials_without_improvement,
    ],
  ];
  return reached.find(([, value, limit]) => limit !== undefined && value >= limit)?.[0];
}
