/** Serves the web console: the files that `npm run up` builds in console/dist. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';

const DIST = join(import.meta.dirname, '../../../../console/dist');

/** The pages of the console. Each is the same file; the router of the console reads the rest of the address. */
const PAGES = ['/', '/sign-in', '/invitation', '/device', '/welcome', '/o/*'];

/** Styles may be inline: components compute positions and sizes. No other host is reached, and no frame may hold the console. */
const POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** @returns false where the console is not built: then nothing is served */
export async function serveConsole(app: FastifyInstance, root = DIST): Promise<boolean> {
  if (!existsSync(join(root, 'index.html'))) return false;
  await app.register(async (files) => {
    // These files are documented nowhere, and are not operations.
    files.addHook('onRoute', (route) => {
      route.schema = { ...route.schema, hide: true };
    });
    await files.register(fastifyStatic, {
      root: join(root, 'assets'),
      prefix: '/assets/',
      wildcard: false,
      preCompressed: true,
      // Names of files hold a hash of their content.
      immutable: true,
      maxAge: '1y',
    });
    const sendPage = (reply: FastifyReply) =>
      reply
        .header('content-security-policy', POLICY)
        .sendFile('index.html', root, { maxAge: 0, immutable: false });
    for (const path of PAGES) files.get(path, (_request, reply) => sendPage(reply));
    files.get('/favicon.svg', (_request, reply) => reply.sendFile('favicon.svg', root));
  });
  return true;
}
