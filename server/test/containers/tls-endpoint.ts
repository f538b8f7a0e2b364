/** An engine's socket behind TLS, for clients with a certificate of the same authority. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';

export interface TlsEndpoint {
  readonly url: string;
  /** Folder of certificates. */
  readonly certificates: string;
  /** Folder of certificates by another authority. */
  readonly strangersCertificates: string;
  close(): void;
}

export async function openTlsEndpoint(socketPath: string, folder: string): Promise<TlsEndpoint> {
  const certificates = join(folder, 'certificates');
  const strangersCertificates = join(folder, 'strangers');
  for (const place of [certificates, strangersCertificates]) makeCertificates(place);
  // These clients trust the server, but the server does not trust them.
  copyFileSync(join(certificates, 'ca.pem'), join(strangersCertificates, 'ca.pem'));
  const read = (name: string) => readFileSync(join(certificates, name));
  const server = createServer(
    {
      ca: read('ca.pem'),
      cert: read('cert.pem'),
      key: read('key.pem'),
      requestCert: true,
      allowHalfOpen: true,
      rejectUnauthorized: true,
    },
    (client) => {
      const engine = connect({ path: socketPath, allowHalfOpen: true });
      for (const socket of [client, engine]) socket.on('error', () => undefined);
      client.on('close', () => engine.destroy());
      engine.on('close', () => client.destroy());
      client.pipe(engine);
      engine.pipe(client);
    },
  );
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const { port } = server.address() as AddressInfo;
  return { url: `tcp://127.0.0.1:${port}`, certificates, strangersCertificates, close: () => server.close() };
}

function makeCertificates(folder: string): void {
  mkdirSync(folder);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '2',
    '-subj',
    '/CN=authority',
  );
  openssl('req', ...key, '-keyout', 'key.pem', '-out', 'request.pem', '-subj', '/CN=127.0.0.1');
  writeFileSync(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1\n');
  const sign = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names', '-days', '2'];
  openssl('x509', '-req', '-in', 'request.pem', ...sign, '-out', 'cert.pem');
}
