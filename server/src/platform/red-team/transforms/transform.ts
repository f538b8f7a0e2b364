/** The declaration of a transform, which rewrites a prompt by a pure function or by the attacker model. */
import { z } from 'zod';
import type { PythonRandom } from '../../random/python-random.ts';

export const TRANSFORM_GROUPS = [
  'encoding',
  'look_alike',
  'structure',
  'language',
  'style',
  'noise',
  'tokens',
] as const;
export type TransformGroup = (typeof TRANSFORM_GROUPS)[number];

interface Declared<Params extends z.ZodObject> {
  readonly name: string;
  readonly group: TransformGroup;
  /** One line of documentation. */
  readonly summary: string;
  /** Every parameter has a default. */
  readonly params: Params;
}

export interface PureTransform<Params extends z.ZodObject = z.ZodObject> extends Declared<Params> {
  readonly isModelBased: false;
  /** The same text, parameters and draws give the same result. */
  apply(text: string, params: z.output<Params>, random: PythonRandom): string;
  /** Codecs only: `inverse(apply(text, params), params)` is `text`. */
  inverse?(text: string, params: z.output<Params>): string;
}

/** A rewriting by the attacker model, as a translation is. */
export interface ModelTransform<Params extends z.ZodObject = z.ZodObject> extends Declared<Params> {
  readonly isModelBased: true;
  /** The request to the attacker model, whose response is the new text. */
  request(text: string, params: z.output<Params>): string;
}

export type Transform = PureTransform | ModelTransform;

const NO_PARAMS = z.strictObject({});

/** Transforms of a group that have no parameters. */
export const withoutParams = (
  group: TransformGroup,
  transforms: readonly Pick<PureTransform, 'name' | 'summary' | 'apply' | 'inverse'>[],
): PureTransform[] =>
  transforms.map((transform) => ({ ...transform, group, params: NO_PARAMS, isModelBased: false }));

/** A transform with parameters, whose type follows from their schema. */
export const withParams = <Params extends z.ZodObject>(
  transform: Omit<PureTransform<Params>, 'isModelBased'>,
): PureTransform<Params> => ({ ...transform, isModelBased: false });

/** The parameter of transforms that change some places of a text. */
export const rate = (preset: number, description: string) =>
  z.number().min(0).max(1).default(preset).describe(description);
