let lastMoment = 0;
let lastText = '';

/** The current time in ISO 8601. Calls within the same millisecond get the same text, since V8 is slow to format it. */
export function isoNow(): string {
  const now = Date.now();
  if (now !== lastMoment) {
    lastMoment = now;
    lastText = new Date(now).toISOString();
  }
  return lastText;
}
