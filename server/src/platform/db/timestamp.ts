const UTC = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/;

/** Converts PostgreSQL's text of a timestamptz to ISO 8601 in UTC with milliseconds: the only form that leaves the server. */
export function parseTimestamp(text: string): string {
  const utc = UTC.exec(text);
  if (utc) return `${utc[1]}T${utc[2]}.${(utc[3] ?? '').slice(0, 3).padEnd(3, '0')}Z`;
  return new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')).toISOString();
}
