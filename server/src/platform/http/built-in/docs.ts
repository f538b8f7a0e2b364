/** The interactive API documentation. Everything it loads comes from this server. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { CheckRequest } from '../../limits/request-checks.ts';

const HIDDEN = { hide: true };

const START = `Scalar.createApiReference('#reference', {
  url: document.getElementById('reference').dataset.url,
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  modelsSectionLabel: 'Schemas',
  showDeveloperTools: 'never',
  persistAuth: false,
});
`;

const page = (base: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Drydock API</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <div id="reference" data-url="${base}/openapi.json"></div>
    <script src="${base}/docs/scalar.js"></script>
    <script src="${base}/docs/start.js"></script>
  </body>
</html>
`;

/**
 * Scalar's editor injects styles into the page without a nonce: with a nonce, request and response bodies would be unreadable. The page
 * shows no user data, and runs only our own scripts.
 */
const POLICY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
].join('; ');

/** @param isAtRoot true when `/` redirects here, because there is no console */
export function serveDocs(
  app: FastifyInstance,
  base: string,
  checkRequest: CheckRequest,
  isAtRoot: boolean,
): void {
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    await checkRequest({ request, reply, principal: undefined, rateClass: 'read' });
  };
  const options = { schema: HIDDEN, onRequest };
  if (isAtRoot) app.get('/', options, async (_request, reply) => reply.redirect(`${base}/docs`));

  let document: string | undefined;
  app.get(`${base}/openapi.json`, options, async (_request, reply) => {
    document ??= `${JSON.stringify(app.swagger())}\n`;
    return reply.type('application/json; charset=utf-8').send(document);
  });

  app.get(`${base}/docs`, options, async (_request, reply) => {
    return reply.header('content-security-policy', POLICY).type('text/html; charset=utf-8').send(page(base));
  });

  app.get(`${base}/docs/start.js`, options, async (_request, reply) => script(reply).send(START));

  let bundle: Promise<Bundle> | undefined;
  app.get(`${base}/docs/scalar.js`, options, async (request, reply) => {
    bundle ??= scalarBundle();
    const { plain, gzipped } = await bundle;
    script(reply).header('vary', 'accept-encoding');
    const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding']));
    return takesGzip ? reply.header('content-encoding', 'gzip').send(gzipped) : reply.send(plain);
  });
}

interface Bundle {
  readonly plain: Buffer;
  readonly gzipped: Buffer;
}

const script = (reply: FastifyReply) =>
  reply.header('cache-control', 'max-age=3600').type('text/javascript; charset=utf-8');

/** Scalar's package exposes its script only through a route of its plugin. It is large, so it is loaded on first use. */
async function scalarBundle(): Promise<Bundle> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const scratch = Fastify();
  await scratch.register(scalar, { routePrefix: '/reference', configuration: { url: '/' } });
  const { rawPayload: plain } = await scratch.inject('/reference/js/scalar.js');
  await scratch.close();
  return { plain, gzipped: await promisify(gzip)(plain) };
}
