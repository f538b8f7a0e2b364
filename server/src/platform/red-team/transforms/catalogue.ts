/** All transforms by name. */
import { ALPHABETS } from './alphabets.ts';
import { CIPHERS } from './ciphers.ts';
import { ENCODINGS } from './encodings.ts';
import { LANGUAGE } from './language.ts';
import { LOOK_ALIKES } from './look-alikes.ts';
import { NOISE } from './noise.ts';
import { STRUCTURE } from './structure.ts';
import { STYLE } from './style.ts';
import { TOKENS } from './tokens.ts';
import type { Transform } from './transform.ts';

export const TRANSFORMS: readonly Transform[] = [
  ...ENCODINGS,
  ...CIPHERS,
  ...ALPHABETS,
  ...LOOK_ALIKES,
  ...STRUCTURE,
  ...LANGUAGE,
  ...STYLE,
  ...NOISE,
  ...TOKENS,
];

const BY_NAME = new Map(TRANSFORMS.map((transform) => [transform.name, transform]));

export const findTransform = (name: string): Transform | undefined => BY_NAME.get(name);
