/** Configurations as they may leave the platform: without values that could be credentials. */

const MASK = '***';
const SECRET_NAME = /secret|token|passw|api[-_]?key|authorization|credential|cookie|private[-_]?key/i;
/** A reference to a secret says its name only. A scheme such as Bearer may stand before it. */
const REFERENCE = /^(?:[A-Za-z]+ )?\{\{\s*secret:[A-Za-z_][A-Za-z0-9_]*\s*\}\}$/;

/**
 * Masks texts with names such as `api_key`, all headers without a reference to a secret, and user, password and query values of `url`.
 * @returns a copy
 */
export function withoutSecrets(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return maskText(value, name);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, name));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      withoutSecrets(item, name === 'headers' ? 'header_secret' : key),
    ]),
  );
}

function maskText(text: string, name: string): string {
  if (name === 'url') return maskUrl(text);
  return SECRET_NAME.test(name) && !REFERENCE.test(text) ? MASK : text;
}

/** @returns the text itself where it is not a URL */
export function maskUrl(text: string): string {
  const url = URL.parse(text);
  if (!url) return text;
  url.username = '';
  url.password = '';
  url.hash = '';
  for (const key of new Set(url.searchParams.keys())) url.searchParams.set(key, MASK);
  return url.href;
}
