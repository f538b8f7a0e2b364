/** Refuses clients that are too old for this server. */
import { ApiError } from '../errors.ts';

const pattern =
  /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?$/;

interface Version {
  readonly numbers: readonly number[];
  /** Identifiers of a pre-release; empty for a release. */
  readonly identifiers: readonly string[];
}

/** @returns a check of the header `X-Client-Version`; a client that does not send it is let in */
export function clientVersionCheck(minimum: string | undefined): (given: string | undefined) => void {
  const least = minimum === undefined ? undefined : readVersion(minimum);
  return (given) => {
    if (!least || given === undefined) return;
    const version = readVersion(given);
    if (!version) {
      throw new ApiError(
        'upgrade_required_error',
        `X-Client-Version cannot be read; send a version such as 1.2.3 or 1.2.3-rc.1, at least ${minimum}.`,
      );
    }
    if (compareVersions(version, least) < 0) {
      throw new ApiError(
        'upgrade_required_error',
        `This client is too old for the server; upgrade it to ${minimum} or later.`,
      );
    }
  };
}

export function readVersion(text: string): Version | undefined {
  const [, major, minor, patch, identifiers] = pattern.exec(text) ?? [];
  if (major === undefined) return undefined;
  return { numbers: [major, minor, patch].map(Number), identifiers: identifiers?.split('.') ?? [] };
}

/** Negative when `a` is older, in the order of Semantic Versioning: a pre-release comes before its release. */
export function compareVersions(a: Version, b: Version): number {
  for (const [place, number] of a.numbers.entries()) {
    const difference = number - (b.numbers[place] ?? 0);
    if (difference !== 0) return difference;
  }
  if (a.identifiers.length === 0 || b.identifiers.length === 0)
    return b.identifiers.length - a.identifiers.length;
  for (const [place, identifier] of a.identifiers.entries()) {
    const difference = compareIdentifiers(identifier, b.identifiers[place]);
    if (difference !== 0) return difference;
  }
  return a.identifiers.length - b.identifiers.length;
}

/** Numbers come before words, and are compared as numbers. */
function compareIdentifiers(a: string, b: string | undefined): number {
  if (b === undefined) return 1;
  const isNumber = (identifier: string) => /^\d+$/.test(identifier);
  if (isNumber(a) && isNumber(b)) return Number(a) - Number(b);
  if (isNumber(a) !== isNumber(b)) return isNumber(a) ? -1 : 1;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
