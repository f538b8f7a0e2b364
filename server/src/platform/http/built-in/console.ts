/** Serves the web console: the files that `npm run up` builds in console/dist. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';

const DIST = join(import.meta.dirname, '../../../../../console/dist');

/** Addresses of the console. All of them serve the same file, in which the console's router selects the page. */
const PAGES = ['/', '/sign-in', '/invitation', '/device', '/welcome', '/o/*'];

/** Inline styles are allowed, because components compute positions and sizes. Other hosts and embedding in a frame are blocked. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** @returns false, and serves nothing, when the console is not built */
export async function serveConsole(app: FastifyInstance, root = DIST): Promise<boolean> {
  if (!existsSync(join(root, 'index.html'))) return false;
  await app.register(async (files) => {
    // Files are not operations of the API, so the API reference leaves them out.
    files.addHook('onRoute', (route) => {
      route.schema = { ...route.schema, hide: true };
    });
    await files.register(fastifyStatic, {
      root: join(root, 'assets'),
      prefix: '/assets/',
      wildcard: false,
      preCompressed: true,
      // File names contain a hash of the content, so browsers may cache them for good.
      immutable: true,
      maxAge: '1y',
    });
    const sendPage = (reply: FastifyReply) =>
      reply
        .header('content-security-policy', CONTENT_SECURITY_POLICY)
        .sendFile('index.html', root, { maxAge: 0, immutable: false });
    for (const path of PAGES) files.get(path, (_request, reply) => sendPage(reply));
    files.get('/favicon.svg', (_request, reply) => reply.sendFile('favicon.svg', root));
  });
  return true;
}
