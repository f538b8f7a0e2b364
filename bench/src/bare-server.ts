/** A minimal server with the same responses: plain Fastify, no logger, no checks; one named statement for the row. */
import { loadConfig } from '@drydock/server/src/config.ts';
import Fastify from 'fastify';
import pg from 'pg';
import { ONE_PROJECT } from './one-project.ts';
import { SAMPLE } from './sample.ts';
import { serve } from './serve.ts';

await serve(async () => {
  const { database } = loadConfig(process.env);
  const { BENCH_ORGANIZATION_ID, BENCH_WORKSPACE_ID } = process.env;
  const pool = new pg.Pool({ connectionString: database.url, max: database.poolSize });
  const app = Fastify();
  app.get('/api/v1/org/:org/ws/:workspace/bench/:item', async () => SAMPLE);
  app.get<{ Params: { project: string } }>(
    '/api/v1/org/:org/ws/:workspace/projects/:project',
    async (request) => {
      const values = [BENCH_ORGANIZATION_ID, BENCH_WORKSPACE_ID, request.params.project];
      const { rows } = await pool.query({ ...ONE_PROJECT, values });
      return rows[0];
    },
  );
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  return { noStore: origin, oneRow: origin };
});
