/** Long transcripts: a page costs as much as in a short one, and an export streams. */
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { PlainConnection } from './plain-connection.ts';
import { beginPeak, peakBytes } from './process-usage.ts';
import type { SessionServer } from './session-writes.ts';
import { compareCalls } from './single-calls.ts';
import { printTable, verdict } from './table.ts';

const MAX_PAGE_RATIO = 1.3;
const MAX_GROWTH_BYTES = 100e6;
const FORMATS = ['atif', 'openai', 'native'] as const;
/** Long enough for a server without backpressure to have read everything. */
const PAUSE_MS = 3_000;
const PAGE = 100;

export interface Transcript {
  readonly id: string;
  readonly length: number;
}

export interface Transcripts {
  readonly short: Transcript;
  readonly long: Transcript;
}

export async function benchPages(
  { origin, apiKey }: SessionServer,
  { short, long }: Transcripts,
  rounds: number,
): Promise<boolean> {
  const connection = new PlainConnection(origin, apiKey);
  const reader =
    ({ id, length }: Transcript, share: number) =>
    () =>
      connection.send('GET', `/sessions/${id}/transcript?after_seq=${(length - PAGE) * share}&limit=${PAGE}`);
  const options = { rounds, maxRatio: MAX_PAGE_RATIO };
  const compared = [
    await compareCalls('the middle', reader(short, 0.5), reader(long, 0.5), options),
    await compareCalls('the end', reader(short, 1), reader(long, 1), options),
  ];
  connection.close();
  console.log(
    `\nMedians of single calls: GET of ${PAGE} messages out of a transcript, one after the other\n`,
  );
  const ofLength = ({ length }: Transcript) => `of ${length.toLocaleString('en')}, ms`;
  printTable([
    ['', ofLength(short), ofLength(long), 'ratio', 'bound', ''],
    ...compared.map(({ row }) => row),
  ]);
  return compared.every(({ isKept }) => isKept);
}

interface Export {
  readonly title: string;
  readonly bytes: number;
  readonly seconds: number;
  readonly growth: number;
}

/** @param start starts a server that has exported nothing yet, a new one for each export */
export async function benchExports(
  start: () => Promise<SessionServer>,
  transcripts: Transcripts,
): Promise<boolean> {
  const found: Export[] = [];
  for (const format of FORMATS) {
    console.log(`export: ${format}`);
    found.push(await exportOnce(await start(), transcripts, format, 0));
  }
  console.log('export: atif, to a reader who pauses');
  found.push(await exportOnce(await start(), transcripts, 'atif', PAUSE_MS));
  return reportExports(found, transcripts.long);
}

async function exportOnce(
  server: SessionServer,
  { short, long }: Transcripts,
  format: (typeof FORMATS)[number],
  pauseMs: number,
): Promise<Export> {
  // The first reads warm up the code and its memory, independent of the length.
  for (let time = 0; time < 3; time++) await read(server, short, format, 0);
  const before = beginPeak(server.pid);
  const started = performance.now();
  const bytes = await read(server, long, format, pauseMs);
  const seconds = (performance.now() - started - pauseMs) / 1000;
  const title = pauseMs > 0 ? `${format}, reader pauses ${pauseMs / 1000} s` : format;
  return { title, bytes, seconds, growth: peakBytes(server.pid) - before };
}

/** @returns the number of bytes received */
async function read(
  { origin, apiKey }: SessionServer,
  { id, length }: Transcript,
  format: string,
  pauseMs: number,
): Promise<number> {
  const url = `${origin}/api/v1/org/main/ws/main/sessions/${id}/trajectory?format=${format}&include_compacted=true`;
  const request = get(url, { headers: { authorization: `Bearer ${apiKey}` } });
  let bytes = 0;
  let last: Buffer = Buffer.alloc(0);
  await new Promise<void>((resolve, reject) => {
    request.once('error', reject).once('response', (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
      response.once('data', () => {
        response.pause();
        void sleep(pauseMs).then(() => response.resume());
      });
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        last = chunk;
      });
      response.once('error', reject).once('end', resolve);
    });
  });
  if (bytes < length * 1_000 || !/\}\s*$/.test(last.toString()))
    throw new Error(`${url}: ${bytes} bytes are not all`);
  return bytes;
}

function reportExports(found: readonly Export[], { length }: Transcript): boolean {
  const isKept = ({ growth }: Export) => growth <= MAX_GROWTH_BYTES;
  console.log(
    `\nExport of ${length.toLocaleString('en')} messages; growth of the server's memory at its peak\n`,
  );
  printTable([
    ['', 'MB', 'MB/s', 'growth MB', 'bound', ''],
    ...found.map((one) => [
      one.title,
      (one.bytes / 1e6).toFixed(0),
      (one.bytes / 1e6 / one.seconds).toFixed(1),
      (one.growth / 1e6).toFixed(1),
      `<= ${MAX_GROWTH_BYTES / 1e6}`,
      verdict(isKept(one)),
    ]),
  ]);
  return found.every(isKept);
}
