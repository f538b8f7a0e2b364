/** The header that makes a browser save a response under a name. */

/** Encodes non-ASCII names in the extended form (RFC 6266), with a plain one for older clients. */
export function toAttachment(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  const encoded = encodeURIComponent(filename.toWellFormed()).replace(/['()*]/g, toPercent);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

const toPercent = (char: string) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
