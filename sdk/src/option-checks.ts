/** Refuses options that would otherwise fail late, or be retried like connection failures. */

/** Checks that the given values are numbers of at least 0; Infinity means no limit. */
export function checkNumbers<Name extends string>(
  options: { readonly [Key in Name]?: unknown },
  ...names: readonly Name[]
): void {
  for (const name of names) {
    const value = options[name];
    if (value === undefined || (typeof value === 'number' && value >= 0)) continue;
    throw new TypeError(`${name} must be a number, 0 or more, not ${String(value)}.`);
  }
}

/** fetch's own error about a header would contain the value, which may be a secret. */
export function checkHeaderValue(name: string, value: unknown): void {
  if (typeof value === 'string' && /^[\x20-\x7e]*$/.test(value.trim())) return;
  throw new TypeError(`${name} must be a string of printable ASCII characters.`);
}

export function checkBaseUrl(baseUrl: string | undefined): string {
  const advice = 'give new Drydock({ baseUrl }) or set DRYDOCK_URL, such as http://127.0.0.1:8080.';
  if (!baseUrl) throw new TypeError(`baseUrl is missing: ${advice}`);
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(`"${baseUrl}" is not a URL with http or https: ${advice}`);
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError(`baseUrl may contain neither a login nor "?" or "#": ${advice}`);
  }
  // Each request adds the path of the API.
  return baseUrl.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
}
