/** Selects the components of a candidate that a reflection rewrites. */
import type { Member } from './pool.ts';
import type { ModuleSelector } from './ports.ts';

/** `round_robin` advances with every proposal, also with one that is rejected later. */
export function selectComponents(selector: ModuleSelector, parent: Member): string[] {
  const components = Object.keys(parent.candidate);
  if (selector === 'all') return components;
  const component = components[parent.nextComponent] as string;
  parent.nextComponent = (parent.nextComponent + 1) % components.length;
  return [component];
}
