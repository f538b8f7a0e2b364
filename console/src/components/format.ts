/** Numbers, times and durations as pages show them. */

const COUNT = new Intl.NumberFormat('en');
const USD = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export const formatCount = (value: number): string => COUNT.format(value);

/** A count with its noun, such as `1 sample` or `1,200 samples`. */
export const formatCountOf = (value: number, noun: string): string =>
  `${formatCount(value)} ${noun}${value === 1 ? '' : 's'}`;

/** A total that may be a lower bound, such as `1,000+`. */
export const formatTotal = (value: number, isExact: boolean): string =>
  isExact ? formatCount(value) : `${formatCount(value)}+`;

export const formatCompact = (value: number): string => COMPACT.format(value);

/** 100 % stands only for all, and 0 % only for none. */
export function formatPercent(share: number | null | undefined): string {
  if (share === null || share === undefined) return '–';
  if (share > 0 && share < 0.001) return '< 0.1 %';
  if (share < 1 && share > 0.999) return '> 99.9 %';
  const isNearEnd = (share > 0 && share < 0.1) || (share < 1 && share > 0.99);
  return `${(share * 100).toFixed(isNearEnd ? 1 : 0)} %`;
}

export const formatScore = (score: number | null): string =>
  score === null ? '–' : String(Number(score.toFixed(3)));

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} KB`;
  return bytes < 1e9 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

export function formatUsd(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  if (value === 0) return '$0';
  if (value < 0.0001) return '< $0.0001';
  return value < 0.01 ? `$${value.toFixed(4)}` : USD.format(value);
}

export function formatDuration(milliseconds: number | null | undefined): string {
  if (milliseconds === null || milliseconds === undefined) return '–';
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 9_950) return `${(milliseconds / 1_000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export const formatTime = (timestamp: string | null | undefined): string =>
  timestamp ? new Date(timestamp).toLocaleString() : '–';

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

export function formatAgo(timestamp: string | null | undefined, now = Date.now()): string {
  if (!timestamp) return '–';
  const ago = Date.parse(timestamp) - now;
  for (const [unit, size] of UNITS)
    if (Math.abs(ago) >= size) return RELATIVE.format(Math.round(ago / size), unit);
  return 'just now';
}
