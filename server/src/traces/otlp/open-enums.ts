/** OTLP may add values: unknown ones are read as unspecified. */

const LAST_KIND = 5;
const LAST_STATUS = 2;

export const knownKind = (kind: number) => (kind <= LAST_KIND ? kind : 0);

export const knownStatus = (code: number) => (code <= LAST_STATUS ? code : 0);
