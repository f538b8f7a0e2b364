/** A minimal server with the same responses: a file piped by node:http, and a Fastify route with one named read before its bytes. */
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { loadConfig } from '@drydock/server/src/config.ts';
import Fastify from 'fastify';
import pg from 'pg';
import { ONE_PROJECT } from './one-project.ts';
import type { SampleAddresses } from './requests.ts';
import { LARGE_BYTES, makeSample, SMALL_BYTES } from './samples.ts';
import { serve } from './serve.ts';

await serve<SampleAddresses>(async () => {
  const { database, dataDir } = loadConfig(process.env);
  return { large: await serveFile(join(dataDir, 'bench-large')), small: [await serveRead(database)] };
});

async function serveFile(file: string): Promise<string> {
  await writeFile(file, makeSample(LARGE_BYTES));
  const server = createServer((_request, response) => {
    response.setHeader('content-length', LARGE_BYTES);
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function serveRead(database: { url: string | undefined; poolSize: number }): Promise<string> {
  const { BENCH_ORGANIZATION_ID, BENCH_WORKSPACE_ID } = process.env;
  const pool = new pg.Pool({ connectionString: database.url, max: database.poolSize });
  const sample = makeSample(SMALL_BYTES);
  const app = Fastify();
  app.get<{ Params: { project: string } }>('/:project', async (request, reply) => {
    const values = [BENCH_ORGANIZATION_ID, BENCH_WORKSPACE_ID, request.params.project];
    const { rows } = await pool.query({ ...ONE_PROJECT, values });
    return reply.header('etag', rows[0].id).send(sample);
  });
  return `${await app.listen({ host: '127.0.0.1', port: 0 })}/default`;
}
