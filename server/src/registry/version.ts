/** Semantic versions, strictly as in SemVer 2.0.0: validation and comparison. */
import { z } from 'zod';

const NUMBER = '(?:0|[1-9]\\d*)';
const IDENTIFIER = '(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)';
const versionPattern = new RegExp(
  `^(${NUMBER})\\.(${NUMBER})\\.(${NUMBER})(?:-(${IDENTIFIER}(?:\\.${IDENTIFIER})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);
const MAX_LENGTH = 128;

export const SemVer = z
  .string()
  .max(MAX_LENGTH)
  .regex(
    versionPattern,
    'must be an exact semantic version such as 1.0.0 or 2.1.0-rc.1: no range, no "latest", no leading "v"',
  );

export const isVersion = (text: string) => text.length <= MAX_LENGTH && versionPattern.test(text);

export const isPrerelease = (version: string) => partsOf(version).prerelease !== undefined;

/**
 * Returns text whose bytes sort like versions. Versions that differ only in build metadata get the same text: they are the same version.
 */
export function precedenceOf(version: string): string {
  const { numbers, prerelease } = partsOf(version);
  const core = numbers.map(sortableNumber).join('.');
  // A release is newer than its pre-releases: "~" sorts after all other characters used here.
  return prerelease === undefined ? `${core}~` : `${core}-${prerelease.split('.').map(sortable).join(' ')}`;
}

/** The space between identifiers sorts before all their characters, so fewer identifiers mean an older version. */
const sortable = (identifier: string) =>
  /^\d+$/.test(identifier) ? `0${sortableNumber(identifier)}` : `1${identifier}`;

/** Prefixes the length: numbers have no leading zeros, so the longer one is larger. */
const sortableNumber = (digits: string) => String(digits.length).padStart(3, '0') + digits;

function partsOf(version: string) {
  const [, major = '', minor = '', patch = '', prerelease] = versionPattern.exec(version) ?? [];
  if (major === '') throw new Error(`"${version}" is not a semantic version`);
  return { numbers: [major, minor, patch], prerelease };
}
