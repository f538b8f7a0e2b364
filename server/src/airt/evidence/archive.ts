/** The evidence of an assessment: a zip archive of JSON Lines with a signed manifest, made while it is sent. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError } from '../../platform/errors.ts';
import type { JobRef } from '../../platform/jobs/job-kind.ts';
import { writeZip, type ZipFile } from '../../platform/zip.ts';
import type { AssessmentOf } from '../assessments/schema.ts';
import type { StoredExecution } from '../stored-run.ts';
import { withoutSecrets } from '../without-secrets.ts';
import type { EvidenceKey } from './evidence-key.ts';
import { readFindings, readReviews, readState, readTrials } from './rows.ts';

const FORMAT = 'drydock-evidence/1';
const VERIFIER = readFileSync(join(import.meta.dirname, 'verify.mjs'), 'utf8');

export interface EvidenceSource {
  readonly db: Db;
  readonly ref: JobRef;
  readonly assessment: AssessmentOf;
  readonly execution: StoredExecution | null;
  readonly key: EvidenceKey;
  /** The version of the server. */
  readonly version: string;
}

/** @throws {ApiError} `conflict_error` when the assessment changes while it is read: the part already sent has no manifest */
export function writeEvidence(source: EvidenceSource): AsyncGenerator<Buffer> {
  const createdAt = new Date();
  return writeZip(makeFiles(source, createdAt), createdAt);
}

async function* makeFiles(source: EvidenceSource, createdAt: Date): AsyncGenerator<ZipFile> {
  const { db, ref, key } = source;
  const before = await readState(db, ref);
  const digests = new Map<string, Digest>();
  const digested = ({ path, content }: ZipFile): ZipFile => ({
    path,
    content: takeDigest(path, content, digests),
  });
  yield digested(text('README.txt', toReadme(source, createdAt)));
  yield digested(text('verify.mjs', VERIFIER));
  yield digested(text('public-key.pem', key.publicKey));
  yield digested(text('config.json', `${JSON.stringify(toConfig(source), null, 2)}\n`));
  yield digested({ path: 'findings.jsonl', content: toLines(readFindings(db, ref)) });
  yield digested({ path: 'trials.jsonl', content: toLines(readTrials(db, ref)) });
  yield digested({ path: 'reviews.jsonl', content: toLines(readReviews(db, ref)) });
  if ((await readState(db, ref)) !== before)
    throw new ApiError('conflict_error', 'The assessment changed while it was read; download it again.');
  const manifest = Buffer.from(`${JSON.stringify(toManifest(source, createdAt, digests), null, 2)}\n`);
  yield { path: 'manifest.json', content: [manifest] };
  yield text('manifest.sig', `${key.sign(manifest).toString('base64')}\n`);
}

const text = (path: string, content: string): ZipFile => ({ path, content: [Buffer.from(content)] });

async function* toLines(rows: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  for await (const row of rows) yield Buffer.from(`${JSON.stringify(row)}\n`);
}

interface Digest {
  readonly sha256: string;
  readonly size_bytes: number;
}

async function* takeDigest(
  path: string,
  content: ZipFile['content'],
  into: Map<string, Digest>,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let size_bytes = 0;
  for await (const chunk of content) {
    hash.update(chunk);
    size_bytes += chunk.length;
    yield chunk;
  }
  into.set(path, { sha256: hash.digest('hex'), size_bytes });
}

const toManifest = (
  { assessment, key, version }: EvidenceSource,
  createdAt: Date,
  digests: ReadonlyMap<string, Digest>,
) => ({
  format: FORMAT,
  assessment_id: assessment.id,
  assessment_name: assessment.name,
  created_at: createdAt.toISOString(),
  server_version: version,
  public_key: key.publicKey,
  key_fingerprint: key.fingerprint,
  files: Object.fromEntries(digests),
});

/** Scripts of clients may hold credentials, so only their digest is given. */
function toConfig({ assessment, execution }: EvidenceSource) {
  const { workflow_script, ...rest } = assessment;
  const workflow_script_sha256 =
    workflow_script === null ? null : createHash('sha256').update(workflow_script).digest('hex');
  return {
    assessment: withoutSecrets({ ...rest, workflow_script_sha256 }),
    execution: withoutSecrets(execution),
  };
}

const toReadme = ({ assessment, key }: EvidenceSource, createdAt: Date) =>
  `Evidence of the red-team assessment ${assessment.id}, archived ${createdAt.toISOString()} by Drydock.

config.json      the assessment and what it was run with, without credentials
findings.jsonl   one finding per line: an attack and a goal
trials.jsonl     one trial per line: prompt, response, score
reviews.jsonl    one line for each edit of a finding, by a person or by the system
manifest.json    size and SHA-256 of each file above, of README.txt, verify.mjs and public-key.pem
manifest.sig     Ed25519 signature of the bytes of manifest.json, in base64
public-key.pem   the key that the signature is verified with
verify.mjs       verifies all of this without a network; needs Node.js 18 or newer

To verify, unpack the archive and run

  node verify.mjs --fingerprint ${key.fingerprint}

The fingerprint above is part of the archive. A person who could replace the archive could replace it as well, together with the key and
verify.mjs. So take the fingerprint from the server (the header Drydock-Key-Fingerprint of the download) or from a record of your own,
and verify.mjs from an archive that you trust.
`;
