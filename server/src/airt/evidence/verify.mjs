// Verifies an evidence archive of Drydock without a network: the signature of manifest.json, and the SHA-256 and size of every file.
// Needs Node.js 18 or newer and nothing else. Run it where the archive was unpacked:
//
//   node verify.mjs [--fingerprint <sha256:…>] [folder]
//
// It prints what was changed, added or is missing, and exits with 0 only where everything is as it was signed.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const MANIFEST = 'manifest.json';
const SIGNATURE = 'manifest.sig';

const { folder, expected } = readArguments(process.argv.slice(2));
const problems = [];
const manifest = readManifest();
if (manifest) await compareFiles(manifest.files);
report();

function readArguments(given) {
  const rest = [...given];
  const at = rest.indexOf('--fingerprint');
  const [, fingerprint] = at < 0 ? [] : rest.splice(at, 2);
  if (at >= 0 && !fingerprint?.startsWith('sha256:')) {
    console.error('--fingerprint needs a value that begins with sha256:');
    process.exit(2);
  }
  return { folder: rest[0] ?? dirname(fileURLToPath(import.meta.url)), expected: fingerprint };
}

/** Reads the manifest, and checks its signature by the public key that it names. */
function readManifest() {
  const text = read(MANIFEST);
  const signature = read(SIGNATURE);
  if (!text) return undefined;
  let parsed;
  try {
    parsed = JSON.parse(text.toString('utf8'));
  } catch {
    problems.push(`changed: ${MANIFEST} is not JSON`);
    return undefined;
  }
  if (signature && !isSigned(text, signature, parsed.public_key))
    problems.push(`changed: ${MANIFEST} or ${SIGNATURE}; the signature does not fit`);
  return parsed;
}

function isSigned(text, signature, pem) {
  try {
    const key = createPublicKey(pem);
    const der = key.export({ type: 'spki', format: 'der' });
    const fingerprint = `sha256:${createHash('sha256').update(der).digest('hex')}`;
    console.log(`Key fingerprint: ${fingerprint}`);
    if (expected !== undefined && fingerprint !== expected)
      problems.push(`signed with another key: ${expected} was expected`);
    // Base64 has several texts for the same bytes; only the one that was written counts.
    const bytes = Buffer.from(signature.toString('latin1'), 'base64');
    return `${bytes.toString('base64')}\n` === signature.toString('latin1') && verify(null, text, key, bytes);
  } catch {
    return false;
  }
}

function read(name) {
  try {
    return readFileSync(join(folder, name));
  } catch {
    problems.push(`missing: ${name}`);
    return undefined;
  }
}

async function compareFiles(files) {
  if (typeof files !== 'object' || files === null) {
    problems.push(`changed: ${MANIFEST} lists no files`);
    return;
  }
  const there = listFiles(folder);
  for (const [name, { sha256, size_bytes }] of Object.entries(files)) {
    if (!there.includes(name)) {
      problems.push(`missing: ${name}`);
      continue;
    }
    const found = await digest(join(folder, name));
    if (found.sha256 !== sha256 || found.size_bytes !== size_bytes) problems.push(`changed: ${name}`);
  }
  for (const name of there)
    if (!Object.hasOwn(files, name) && name !== MANIFEST && name !== SIGNATURE)
      problems.push(`added: ${name}`);
}

function listFiles(at) {
  return readdirSync(at, { withFileTypes: true }).flatMap((entry) => {
    const path = join(at, entry.name);
    return entry.isDirectory() ? listFiles(path) : [relative(folder, path).split(sep).join('/')];
  });
}

async function digest(path) {
  const hash = createHash('sha256');
  let size_bytes = 0;
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk);
    size_bytes += chunk.length;
  }
  return { sha256: hash.digest('hex'), size_bytes };
}

function report() {
  for (const problem of problems) console.log(problem);
  if (problems.length > 0) {
    console.log('NOT VERIFIED');
    process.exitCode = 1;
    return;
  }
  console.log(`Verified: assessment ${manifest.assessment_id}, archived ${manifest.created_at}.`);
  if (expected === undefined)
    console.log(
      'Compare the key fingerprint with that of the server; only then is the signature worth something.',
    );
}
