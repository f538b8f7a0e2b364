/** What a sandbox's time costs: 0.0552 credits a second, in whole numbers throughout, rounded up once. */
const CREDITS = 552;
const PER_MS = 10_000_000;
const PER_SECOND = 10_000;

export function creditsFor(milliseconds: number): number {
  return Math.ceil((milliseconds * CREDITS) / PER_MS);
}

/** The most whole seconds that cost no more. */
export function secondsFor(credits: number): number {
  return Math.floor((credits * PER_SECOND) / CREDITS);
}
