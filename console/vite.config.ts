/** Builds the console into dist, with compressed copies of its files, and serves it for development. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

const DIST = join(import.meta.dirname, 'dist');
/** Smaller files do not get smaller. */
const MIN_COMPRESSED_BYTES = 1_024;

const compress = (): Plugin => ({
  name: 'compress',
  apply: 'build',
  closeBundle() {
    for (const name of readdirSync(DIST, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(js|css|html|svg)$/.test(name)) continue;
      const path = join(DIST, name);
      const content = readFileSync(path);
      if (content.length < MIN_COMPRESSED_BYTES) continue;
      writeFileSync(`${path}.br`, brotliCompressSync(content));
      writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
    }
  },
});

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), compress()],
  // The console is built from the source of the SDK, so that nothing has to be built before it.
  resolve: { conditions: ['drydock-source', ...defaultClientConditions] },
  build: {
    target: 'es2023', // Browsers that know `light-dark()`, which would be rewritten for older ones into what does not work with Mantine's schemes.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
  },
  server: { proxy: { '/api': process.env['DRYDOCK_URL'] ?? 'http://127.0.0.1:8080' } },
});
