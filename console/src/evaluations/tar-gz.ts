/** Packs small text files into a tar.gz, as bundles of the registry are sent. */

const BLOCK = 512;
const encoder = new TextEncoder();

export async function packFiles(files: Readonly<Record<string, string>>): Promise<Blob> {
  const parts = Object.entries(files).flatMap(([path, text]) => {
    const content = encoder.encode(text);
    const padding = new Uint8Array((BLOCK - (content.length % BLOCK)) % BLOCK);
    return [toHeader(path, content.length), content, padding];
  });
  // An archive ends with two empty blocks.
  const tar = new Blob([...parts, new Uint8Array(2 * BLOCK)]);
  return new Response(tar.stream().pipeThrough(new CompressionStream('gzip'))).blob();
}

/** A header of the format ustar: fields of fixed size, numbers in octal, and a sum of all bytes. */
function toHeader(path: string, sizeBytes: number): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(BLOCK);
  const put = (offset: number, text: string) => header.set(encoder.encode(text), offset);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  put(0, path);
  put(100, `${octal(0o644, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0${octal(sizeBytes, 11)}\0${octal(0, 11)}\0`);
  put(148, '        0');
  put(257, 'ustar\0');
  put(263, '00');
  const sum = header.reduce((total, byte) => total + byte, 0);
  put(148, `${octal(sum, 6)}\0 `);
  return header;
}
