# Drydock in a container: server or worker, as DRYDOCK_ROLE says. Without DATABASE_URL it runs the bundled PostgreSQL.
ARG NODE_VERSION=24.21.0

FROM node:${NODE_VERSION}-bookworm-slim AS packages
WORKDIR /app
# The lock file names every workspace, so that all their manifests are needed, and nothing else of them.
COPY package.json package-lock.json ./
COPY server/package.json server/
COPY sdk/package.json sdk/
COPY bench/package.json bench/
COPY examples/package.json examples/
COPY console/package.json console/
# The image has its own Node; PostgreSQL 16 is for tests.
RUN npm ci --omit=dev --workspace=server --no-audit --no-fund \
 && rm -rf node_modules/postgres-16-linux-*

FROM node:${NODE_VERSION}-bookworm-slim AS console
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
COPY server/package.json server/
COPY sdk/package.json sdk/
COPY bench/package.json bench/
COPY examples/package.json examples/
COPY console/package.json console/
RUN npm ci --workspace=console --no-audit --no-fund
COPY sdk/src sdk/src
COPY console/index.html console/tsconfig.json console/vite.config.ts console/
COPY console/public console/public
COPY console/src console/src
RUN npm run build --workspace=console

FROM node:${NODE_VERSION}-bookworm-slim
# bubblewrap, tini and socat make sandboxes, which show the other programs. A container may make none unless it is run with more
# rights than usual; see docs/operate/docker.md.
RUN apt-get update \
 && apt-get install -y --no-install-recommends bubblewrap socat tini \
    bash ca-certificates curl git openssl procps python3 python3-venv \
 && rm -rf /var/lib/apt/lists/* \
 && mkdir /data /backups && chown node:node /data /backups && chmod 700 /data /backups
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json LICENSE ./
COPY server/package.json server/
COPY server/migrations server/migrations
COPY server/src server/src
COPY --from=console /app/console/dist console/dist
# Few heaps of glibc, as `npm start` has it: what one thread frees another can use.
ENV MALLOC_ARENA_MAX=2
ENV NODE_ENV=production HOST=0.0.0.0 DRYDOCK_DATA_DIR=/data
USER node
VOLUME ["/data"]
EXPOSE 8080 8081
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8080}/api/v1/health`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# It drains for ten seconds when it is told to stop: give it more than that.
STOPSIGNAL SIGTERM
ENTRYPOINT ["tini", "--"]
CMD ["node", "--no-memory-protection-keys", "--max-semi-space-size=8", "server/src/main.ts"]
