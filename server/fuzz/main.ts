/**
 * `npm run fuzz -- [--count 10000] [--seed <text>] [--only <index>] [--url <origin> --key <API key of an owner>]`:
 * malformed and boundary requests to every operation; exits with 1 when an answer is not as it must be.
 */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { fuzz, type Report } from './run.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '10000' },
    seed: { type: 'string', default: randomBytes(6).toString('hex') },
    only: { type: 'string' },
    url: { type: 'string' },
    key: { type: 'string' },
  },
});
const { seed } = values;

function describe({ findings, statuses, unreached, slowestMilliseconds, growth }: Report): string {
  const mebibytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`;
  return [
    ...findings.map(
      ({ index, mistakes, request, answer }) =>
        `#${index} ${mistakes.join('; ')}\n  ${request}\n  ${answer}\n  again: npm run fuzz -- --seed ${seed} --only ${index}`,
    ),
    `statuses: ${[...statuses].map(([status, count]) => `${status || 'none'} × ${count}`).join(', ')}`,
    `never answered with success: ${unreached.join(', ') || 'none'}`,
    `slowest answer: ${slowestMilliseconds} ms`,
    growth
      ? `memory: ${mebibytes(growth.before)} after the warm-up, ${mebibytes(growth.after)} at the end${growth.isFlat ? '' : ': NOT FLAT'}`
      : 'memory: not looked at',
    `${findings.length} findings, seed ${seed}`,
  ].join('\n');
}

async function end(server: ServerProcess): Promise<boolean> {
  const code = await server.stop();
  const complaints = server.complaints();
  if (code !== 0) console.log(`The server ended with ${code}.`);
  if (complaints.length > 0) console.log(`The server complained:\n${complaints.join('\n')}`);
  return code === 0 && complaints.length === 0;
}

async function run(undo: AsyncDisposableStack): Promise<boolean> {
  const { url, key = '' } = values;
  const server = url ? undefined : await startServer(undo);
  const target = server ?? { origin: new URL(url ?? ''), key };
  const report = await fuzz({
    target,
    seed,
    count: Number(values.count),
    only: values.only === undefined ? undefined : Number(values.only),
    residentBytes: server?.residentBytes,
    onProgress: (done) => process.stderr.write(`\r${done} sent`),
  });
  console.log(`\n${describe(report)}`);
  const isServerWell = server ? await end(server) : true;
  return isServerWell && report.findings.length === 0 && report.growth?.isFlat !== false;
}

console.log(`seed ${seed}`);
const undo = new AsyncDisposableStack();
const interrupt = () => void undo.disposeAsync().finally(() => process.exit(130));
process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
try {
  process.exitCode = (await run(undo)) ? 0 : 1;
} finally {
  await undo.disposeAsync();
}
