/** How much memory a process holds while something happens. */
import { readFileSync } from 'node:fs';

const LOOK_EVERY_MS = 25;

function residentBytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (kibibytes === undefined) throw new Error(`process ${pid} tells no resident memory`);
  return Number(kibibytes) * 1024;
}

/** @returns by how much it was ever above what it was at the beginning */
export async function memoryGrowth(pid: number, work: () => Promise<void>): Promise<number> {
  const before = residentBytes(pid);
  let peak = before;
  const look = setInterval(() => (peak = Math.max(peak, residentBytes(pid))), LOOK_EVERY_MS);
  try {
    await work();
  } finally {
    clearInterval(look);
  }
  return peak - before;
}
