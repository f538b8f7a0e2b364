/** OTLP may get new values: one that is not known here is taken for unspecified. */

const LAST_KIND = 5;
const LAST_STATUS = 2;

export const knownKind = (kind: number) => (kind <= LAST_KIND ? kind : 0);

export const knownStatus = (code: number) => (code <= LAST_STATUS ? code : 0);
