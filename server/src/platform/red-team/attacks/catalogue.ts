/**
 * All attacks, in the order in which the API lists them. A new attack is a file in one of the folders here, an entry below, one in
 * `scoring/compliance.ts`, and a row in docs/design/red-team.md. `simulated-run.test.ts` requires that each succeeds for some goals against
 * `sim/guarded`; a new technique may need a weakness in `platform/llm/simulated/red-team/weaknesses.ts`.
 */
import type { Attack } from './attack.ts';
import { fileInjection } from './indirect/file-injection.ts';
import { mcpDescriptionInjection } from './indirect/mcp-description-injection.ts';
import { toolResultInjection } from './indirect/tool-result-injection.ts';
import { webPageInjection } from './indirect/web-page-injection.ts';
import { crescendo } from './multi-turn/crescendo.ts';
import { echoChamber } from './multi-turn/echo-chamber.ts';
import { goat } from './multi-turn/goat.ts';
import { pair } from './multi-turn/pair.ts';
import { tap } from './multi-turn/tap.ts';
import { baseline } from './single-turn/baseline.ts';
import { bestOfN } from './single-turn/best-of-n.ts';
import { manyShot } from './single-turn/many-shot.ts';
import { policyPuppetry } from './single-turn/policy-puppetry.ts';
import { prefixInjection } from './single-turn/prefix-injection.ts';
import { refusalSuppression } from './single-turn/refusal-suppression.ts';
import { rolePlay } from './single-turn/role-play.ts';
import { skeletonKey } from './single-turn/skeleton-key.ts';
import { transformSweep } from './single-turn/transform-sweep.ts';
import { canaryExtraction } from './system/canary-extraction.ts';
import { systemPromptExtraction } from './system/system-prompt-extraction.ts';
import { toolMisuse } from './system/tool-misuse.ts';

export const ATTACKS: readonly Attack[] = [
  baseline,
  bestOfN,
  prefixInjection,
  refusalSuppression,
  rolePlay,
  manyShot,
  skeletonKey,
  policyPuppetry,
  transformSweep,
  pair,
  tap,
  crescendo,
  goat,
  echoChamber,
  fileInjection,
  toolResultInjection,
  webPageInjection,
  mcpDescriptionInjection,
  systemPromptExtraction,
  canaryExtraction,
  toolMisuse,
];

export const findAttack = (name: string): Attack | undefined =>
  ATTACKS.find((attack) => attack.name === name);
