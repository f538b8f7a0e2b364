import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync, randomUUID, sign, verify } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { AIRT, startAirtWorld } from '../../../test/airt-world.ts';
import { atEndOfFile } from '../../../test/end-of-file.ts';
import { SECRET_KEY } from '../../../test/harness.ts';
import { createSigner } from '../../platform/auth/signing.ts';
import { writeEvidence } from './archive.ts';
import { deriveEvidenceKey } from './evidence-key.ts';

const world = await startAirtWorld();
const { me, server } = world;
const url = await server.app.listen({ host: '127.0.0.1', port: 0 });
const work = mkdtempSync(join(tmpdir(), 'drydock-evidence-'));
atEndOfFile(() => rmSync(work, { recursive: true }));

const KEY = deriveEvidenceKey(createSigner(SECRET_KEY));
const FILES = [
  'README.txt',
  'config.json',
  'findings.jsonl',
  'manifest.json',
  'manifest.sig',
  'public-key.pem',
  'reviews.jsonl',
  'trials.jsonl',
  'verify.mjs',
];

const download = (id: string) =>
  fetch(`${url}/api/v1${AIRT}/assessments/${id}/evidence`, {
    headers: { authorization: `Bearer ${server.owner.key}` },
  });

/** @returns the folder that the archive was unpacked in */
async function unpack(id: string, name: string): Promise<string> {
  const response = await download(id);
  expect(response.status).toBe(200);
  const path = join(work, `${name}.zip`);
  writeFileSync(path, Buffer.from(await response.arrayBuffer()));
  execFileSync('unzip', ['-q', path, '-d', join(work, name)]);
  return join(work, name);
}

const read = (folder: string, name: string) => readFileSync(join(folder, name));
const readLines = (folder: string, name: string) =>
  read(folder, name)
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

function verifyFolder(folder: string, ...more: string[]) {
  const { status, stdout } = spawnSync(process.execPath, [join(folder, 'verify.mjs'), ...more]);
  return { status, output: stdout.toString() };
}

let assessment = '';
let original = '';

beforeAll(async () => {
  ({ id: assessment } = await world.run({
    attack_manifest: ['baseline', 'skeleton_key', 'many_shot'].map((attack) => ({
      attack,
      goal_category: 'credential_leak',
      trials: 10,
      params: { exhaustive: true },
    })),
  }));
  const [finding] = await world.listFindings(assessment);
  await me.patch(`${AIRT}/findings/${finding.id}`, { severity: 'low', notes: 'a test' });
  original = await unpack(assessment, 'original');
});

describe('getEvidence', () => {
  test('sends an attachment that browsers do not open, with the fingerprint of the key', async () => {
    const { headers } = await download(assessment);
    expect(headers.get('content-disposition')).toContain(`filename="evidence-${assessment}.zip"`);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe('sandbox');
    expect(headers.get('drydock-key-fingerprint')).toBe(KEY.fingerprint);
  });

  test('holds every finding, trial and review, over several pages', async () => {
    expect(readdirSync(original).toSorted()).toEqual(FILES.toSorted());
    const findings = await world.listFindings(assessment);
    const trials = [1, 2].map((page) =>
      me.get(`${AIRT}/assessments/${assessment}/trials?page_size=100&page=${page}`),
    );
    const expected = (await Promise.all(trials)).flatMap(({ body }) => body.items);
    expect(expected.length).toBeGreaterThan(100);
    const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).toSorted();
    expect(idsOf(readLines(original, 'findings.jsonl'))).toEqual(idsOf(findings));
    const archived = readLines(original, 'trials.jsonl');
    expect(idsOf(archived)).toEqual(idsOf(expected));
    const { id, candidate, response, score, created_at } = expected[0];
    expect(archived).toContainEqual(expect.objectContaining({ id, candidate, response, score, created_at }));
    expect(readLines(original, 'reviews.jsonl')).toMatchObject([
      { reasoning: 'a test', updated_severity: 'low', updated_by: 'owner' },
    ]);
    expect(JSON.parse(read(original, 'config.json').toString())).toMatchObject({
      assessment: { id: assessment, status: 'completed' },
      execution: { targetModel: 'sim/guarded', judgeModel: 'sim/judge', seed: 0 },
    });
  });

  test('signs a manifest with the digest of every other file', () => {
    const manifest = read(original, 'manifest.json');
    const { files, ...rest } = JSON.parse(manifest.toString());
    expect(rest).toMatchObject({
      format: 'drydock-evidence/1',
      assessment_id: assessment,
      public_key: KEY.publicKey,
      key_fingerprint: KEY.fingerprint,
    });
    expect(Object.keys(files).toSorted()).toEqual(
      FILES.filter((name) => !name.startsWith('manifest.')).toSorted(),
    );
    for (const [name, digest] of Object.entries(files)) {
      const bytes = read(original, name);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      expect({ name, ...(digest as object) }).toEqual({ name, sha256, size_bytes: bytes.length });
    }
    const signature = Buffer.from(read(original, 'manifest.sig').toString(), 'base64');
    expect(verify(null, manifest, KEY.publicKey, signature)).toBe(true);
    expect(read(original, 'public-key.pem').toString()).toBe(KEY.publicKey);
  });

  test('has no credentials of the target', async () => {
    const id = await world.create({
      target_model: null,
      target_config: {
        kind: 'http',
        url: 'https://user:pass-in-url@host.example/chat?key=key-in-url',
        headers: { Authorization: 'Bearer {{secret:TARGET}}', 'X-Token': 'token-in-header' },
        api_key: 'key-in-config',
      },
      workflow_script: 'KEY = "key-in-script"',
    });
    await me.patch(`${AIRT}/assessments/${id}`, { status: 'running' });
    await me.patch(`${AIRT}/assessments/${id}`, { status: 'completed' });
    const folder = await unpack(id, 'secrets');
    const config = read(folder, 'config.json').toString();
    expect(config).not.toMatch(/(pass|key|token)-in-/);
    expect(config).toContain('Bearer {{secret:TARGET}}');
    expect(verifyFolder(folder).status).toBe(0);
    for (const report_type of ['markdown', 'json', 'html', 'sarif', 'executive_summary']) {
      const report = await me.post(`${AIRT}/assessments/${id}/reports`, { report_type });
      expect(report.status).toBe(201);
      expect(JSON.stringify(report.body)).not.toMatch(/(pass|key|token)-in-/);
    }
  });

  test('is cut off without a manifest when the assessment changes while it is read', async () => {
    const changed = await world.run();
    const ref = { organizationId: changed.organization_id, id: changed.id };
    const source = { db: server.db, ref, assessment: changed, execution: null, key: KEY, version: '1.0.0' };
    const [finding] = await world.listFindings(changed.id);
    for (const change of [
      () => me.patch(`${AIRT}/findings/${finding.id}`, { notes: 'seen' }),
      () => me.delete(`${AIRT}/assessments/${changed.id}`),
    ]) {
      const archive = writeEvidence(source);
      await archive.next();
      expect((await change()).status).toBeLessThan(300);
      await expect(Array.fromAsync(archive)).rejects.toMatchObject({ type: 'conflict_error' });
    }
  });

  test('names the next step when the assessment has not ended, and answers 404 for unknown ones', async () => {
    const response = await download(await world.create());
    expect(response.status).toBe(409);
    expect(await response.text()).toContain('start it, and download its evidence');
    expect((await download(randomUUID())).status).toBe(404);
  });
});

describe('verify.mjs', () => {
  /** A copy of the archive that a test may change. */
  function copy(): string {
    const folder = mkdtempSync(join(work, 'copy-'));
    cpSync(original, folder, { recursive: true });
    return folder;
  }

  test('accepts an archive as it was signed, and the fingerprint of its key', () => {
    expect(verifyFolder(original)).toMatchObject({
      status: 0,
      output: expect.stringContaining(`Verified: assessment ${assessment}`),
    });
    expect(verifyFolder(original, '--fingerprint', KEY.fingerprint).status).toBe(0);
    expect(verifyFolder(original, '--fingerprint', 'sha256:00')).toMatchObject({
      status: 1,
      output: expect.stringContaining('signed with another key'),
    });
  });

  test.each(FILES.filter((name) => !name.startsWith('manifest.')))(
    'names %s when a byte of it changed',
    (name) => {
      const folder = copy();
      const bytes = read(folder, name);
      const at = name === 'verify.mjs' ? 5 : bytes.length - 2; // in a comment of the script
      bytes[at] = bytes[at] === 0x78 ? 0x79 : 0x78;
      writeFileSync(join(folder, name), bytes);
      const { status, output } = verifyFolder(folder);
      expect({ status, found: output.match(/^(changed|added|missing).*$/gm) }).toEqual({
        status: 1,
        found: [`changed: ${name}`],
      });
    },
  );

  test.each(['manifest.json', 'manifest.sig'])(
    'rejects %s when a byte of it changed, from its first to its last',
    (name) => {
      const bytes = read(original, name);
      const folder = copy();
      const last = bytes.length - 1;
      for (const at of [0, Math.floor(last / 3), Math.floor(last / 2), last - 3, last - 1, last]) {
        const changed = Buffer.from(bytes);
        changed[at] = changed[at] === 0x41 ? 0x42 : 0x41;
        writeFileSync(join(folder, name), changed);
        expect(verifyFolder(folder)).toMatchObject({
          status: 1,
          output: expect.stringMatching(/^changed: manifest\.json/m),
        });
      }
    },
  );

  test.each(FILES)('names %s when it is missing', (name) => {
    const folder = copy();
    rmSync(join(folder, name));
    expect(verifyFolder(original, folder)).toMatchObject({
      status: 1,
      output: expect.stringContaining(`missing: ${name}\n`),
    });
  });

  test('names files that were added, also in folders', () => {
    const folder = copy();
    mkdirSync(join(folder, 'more'));
    writeFileSync(join(folder, 'more/trials.jsonl'), '{}\n');
    expect(verifyFolder(folder)).toMatchObject({
      status: 1,
      output: expect.stringContaining('added: more/trials.jsonl\n'),
    });
  });

  test('rejects the signature of another archive', async () => {
    const folder = copy();
    const { id } = await world.run();
    const other = await unpack(id, 'other');
    cpSync(join(other, 'manifest.sig'), join(folder, 'manifest.sig'));
    expect(verifyFolder(folder)).toMatchObject({
      status: 1,
      output: expect.stringContaining('the signature does not fit'),
    });
  });

  test('rejects an archive that was signed again with another key, when the fingerprint is given', () => {
    const folder = copy();
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
    const manifest = JSON.parse(read(folder, 'manifest.json').toString());
    const sha256 = createHash('sha256').update(pem).digest('hex');
    manifest.public_key = pem;
    manifest.files['public-key.pem'] = { sha256, size_bytes: pem.length };
    const bytes = Buffer.from(JSON.stringify(manifest));
    writeFileSync(join(folder, 'public-key.pem'), pem);
    writeFileSync(join(folder, 'manifest.json'), bytes);
    writeFileSync(join(folder, 'manifest.sig'), `${sign(null, bytes, privateKey).toString('base64')}\n`);
    expect(verifyFolder(folder).status).toBe(0);
    expect(verifyFolder(folder, '--fingerprint', KEY.fingerprint).status).toBe(1);
  });
});

describe('deriveEvidenceKey', () => {
  test('gives the same key for the same secret key, and different keys for different ones', () => {
    expect(deriveEvidenceKey(createSigner(SECRET_KEY)).publicKey).toBe(KEY.publicKey);
    expect(deriveEvidenceKey(createSigner(SECRET_KEY, 'other'.repeat(10))).publicKey).toBe(KEY.publicKey);
    expect(deriveEvidenceKey(createSigner('other'.repeat(10))).publicKey).not.toBe(KEY.publicKey);
  });
});
