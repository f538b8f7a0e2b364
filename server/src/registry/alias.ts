/** Aliases: additional names for model versions, such as `production`. */
import { z } from 'zod';
import { ArtifactName } from './references.ts';
import { isVersion, SemVer } from './version.ts';

/** Names that could be mistaken for a version, a version range or the list of versions. */
const notAnAlias = /^(v?\d+([.-].*)?|latest|versions)$/;

const isAliasName = (text: string) => !notAnAlias.test(text);

export const Alias = ArtifactName.refine(
  isAliasName,
  'must not look like a version, and not be "latest" or "versions"',
);

export const VersionOrAlias = z
  .string()
  .refine(
    (text) => isVersion(text) || Alias.safeParse(text).success,
    'must be an exact semantic version such as 1.0.0, or an alias of one: no range, no "latest", no "v1.0"',
  )
  .describe('Version, or an alias of one');

export const ModelAliasRequest = z.object({ version: SemVer }).meta({ id: 'ModelAliasRequest' });
