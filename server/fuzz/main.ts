/**
 * `npm run fuzz -- [--count 10000] [--seed <text>] [--only <index>] [--url <origin> --key <API key of an owner>]`: malformed and boundary
 * requests to every operation; exits with 1 when a response breaks a rule. A server given by --url must run like those that are started
 * here: without rate limits, its owner a platform admin.
 */
import { type CommandLine, CommandLineError, readCommandLine } from './command-line.ts';
import { fuzz, type Report } from './run.ts';
import { type ServerProcess, startServer, type Target } from './server-process.ts';

function describe(seed: string, report: Report): string {
  const { findings, statuses, unreached, slowestMilliseconds, growth } = report;
  const mebibytes = (bytes: number) =>
    Number.isNaN(bytes) ? 'not measured' : `${Math.round(bytes / 1024 / 1024)} MiB`;
  return [
    ...findings.map(
      ({ index, mistakes, request, response }) =>
        `#${index} ${mistakes.join('; ')}\n  ${request}\n  ${response}\n  again: npm run fuzz -- --seed ${seed} --only ${index}`,
    ),
    `statuses: ${[...statuses].map(([status, count]) => `${status || 'none'} × ${count}`).join(', ')}`,
    `never answered with success: ${unreached.join(', ') || 'none'}`,
    `slowest response: ${slowestMilliseconds} ms`,
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

async function run(commandLine: CommandLine, undo: AsyncDisposableStack): Promise<boolean> {
  if (commandLine.target) return send(commandLine, commandLine.target);
  const server = await startServer(undo);
  const isGood = await send(commandLine, server, server.residentBytes);
  return (await end(server)) && isGood;
}

async function send(
  { seed, count, only }: CommandLine,
  target: Target,
  residentBytes?: () => Promise<number>,
): Promise<boolean> {
  const onProgress = (done: number) => process.stderr.write(`\r${done} sent`);
  const report = await fuzz({ target, seed, count, only, residentBytes, onProgress });
  console.log(`\n${describe(seed, report)}`);
  const { findings, unreached, growth } = report;
  const isReached = only !== undefined || unreached.length === 0;
  return findings.length === 0 && isReached && growth?.isFlat !== false;
}

async function main(): Promise<number> {
  const commandLine = readCommandLine(process.argv.slice(2));
  console.log(`seed ${commandLine.seed}`);
  const undo = new AsyncDisposableStack();
  const interrupt = () => void undo.disposeAsync().finally(() => process.exit(130));
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    return (await run(commandLine, undo)) ? 0 : 1;
  } finally {
    await undo.disposeAsync();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof CommandLineError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
