/** Locates the container engine: a socket of this machine, or an endpoint reached by TLS that belongs to this host. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '../../../errors.ts';

export type EngineAddress =
  | { readonly socketPath: string }
  | {
      readonly host: string;
      readonly port: number;
      readonly ca: Buffer;
      readonly cert: Buffer;
      readonly key: Buffer;
    };

export interface EngineSettings {
  /** `unix:///…` or `tcp://host:port`; undefined for the engine of this machine, if there is one. */
  readonly host: string | undefined;
  /** Folder with ca.pem, cert.pem and key.pem, for `tcp://`. */
  readonly certificates: string | undefined;
}

/** Default sockets of the Docker and Podman packages. */
const USUAL_SOCKETS = ['/var/run/docker.sock', '/run/podman/podman.sock'];

/** @throws {ApiError} that explains what to do */
export function findEngine({ host, certificates }: EngineSettings): EngineAddress {
  if (host?.startsWith('tcp://')) return toTlsAddress(new URL(host), certificates);
  const socketPath = host?.replace(/^unix:\/\//, '') ?? USUAL_SOCKETS.find((path) => existsSync(path));
  if (socketPath !== undefined && existsSync(socketPath)) return { socketPath };
  throw new ApiError(
    'sandbox_provider_error',
    host === undefined
      ? `There is no container engine at ${USUAL_SOCKETS.join(' or ')}. Start Docker or Podman, or say where one is with DRYDOCK_CONTAINER_HOST.`
      : `There is no socket at ${socketPath}, which DRYDOCK_CONTAINER_HOST names. Start the engine, or name another.`,
  );
}

function toTlsAddress({ hostname, port }: URL, certificates: string | undefined): EngineAddress {
  const read = (name: string) => {
    try {
      return readFileSync(join(certificates ?? '', name));
    } catch (cause) {
      const detail = `${name} cannot be read in ${certificates}, which DRYDOCK_CONTAINER_CERTS names. Put the engine's ca.pem and this server's cert.pem and key.pem there.`;
      throw new ApiError('sandbox_provider_error', detail, { cause });
    }
  };
  return {
    host: hostname,
    port: Number(port),
    ca: read('ca.pem'),
    cert: read('cert.pem'),
    key: read('key.pem'),
  };
}
