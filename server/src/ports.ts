/** Tries the ports of a process before anything is created, so that a start on a taken port changes nothing. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { type Config, ConfigError } from './config.ts';

interface Port {
  readonly setting: 'PORT' | 'DRYDOCK_S3_PORT' | 'DRYDOCK_METRICS_PORT';
  readonly purpose: string;
  readonly host: string;
  readonly port: number;
}

type Ports = Pick<Config, 'host' | 'port' | 'gateway' | 'metricsPort' | 'role' | 's3'>;

function portsOf({ host, port, gateway, metricsPort, role, s3 }: Ports): Port[] {
  const isServer = role !== 'worker';
  const ports: (Port | false)[] = [
    isServer && { setting: 'PORT', purpose: 'the API', host, port },
    isServer && !s3 && { setting: 'DRYDOCK_S3_PORT', purpose: 'the S3 gateway', host, port: gateway.port },
    metricsPort !== undefined && {
      setting: 'DRYDOCK_METRICS_PORT',
      purpose: 'the metrics listener',
      host: '127.0.0.1',
      port: metricsPort,
    },
  ];
  return ports.filter((entry) => entry !== false);
}

/** Binds all ports at once, so that two settings with the same port are found too, and releases them. */
export async function requireFreePorts(config: Ports): Promise<void> {
  const servers: Server[] = [];
  try {
    for (const { setting, purpose, host, port } of portsOf(config)) {
      const server = createServer();
      servers.push(server);
      server.listen(port, host);
      await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
        throw new ConfigError(explainListening(error, { setting, purpose, host, port }), { cause: error });
      });
    }
  } finally {
    const listening = servers.filter((server) => server.listening);
    await Promise.all(listening.map((server) => once(server.close(), 'close')));
  }
}

export function explainListening(
  { code, message }: NodeJS.ErrnoException,
  { setting, purpose, host, port }: Port,
): string {
  switch (code) {
    case 'EADDRINUSE':
      return `${host}:${port} is taken by another program, and ${purpose} needs it. Stop that program, or set ${setting} to a free port.`;
    case 'EACCES':
      return `${host}:${port} is not open to this user, and ${purpose} needs it. Set ${setting} to a port from 1024 on.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is not an address of this machine (${code}). Set HOST to one, such as 127.0.0.1 or 0.0.0.0.`;
    default:
      return `${purpose} cannot listen on ${host}:${port}: ${message}. Check HOST and ${setting}.`;
  }
}
