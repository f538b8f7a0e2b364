/** Price of sandbox time: 0.0552 credits per second, computed in integers and rounded up once. */
const CREDITS = 552;
const PER_MS = 10_000_000;
const PER_SECOND = 10_000;

export function creditsFor(milliseconds: number): number {
  return Math.ceil((milliseconds * CREDITS) / PER_MS);
}

/** Returns the maximum number of whole seconds that the credits pay for. */
export function secondsFor(credits: number): number {
  return Math.floor((credits * PER_SECOND) / CREDITS);
}
