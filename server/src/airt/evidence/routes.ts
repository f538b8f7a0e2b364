import { Readable } from 'node:stream';
import type { Signer } from '../../platform/auth/signing.ts';
import type { Db } from '../../platform/db/connect.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import { Reply } from '../../platform/http/responses/reply.ts';
import { getAssessment } from '../assessments/store.ts';
import { readExecution, requireEnded } from '../ended.ts';
import { ASSESSMENT_PATH, AssessmentParams, MAY_READ } from '../schema.ts';
import { writeEvidence } from './archive.ts';
import { deriveEvidenceKey } from './evidence-key.ts';

export interface EvidenceOptions {
  readonly db: Db;
  readonly signer: Pick<Signer, 'secretsFor'>;
  /** The version of the server. */
  readonly version: string;
}

export function evidenceRoutes({ db, signer, version }: EvidenceOptions) {
  const key = deriveEvidenceKey(signer);
  return workspaceRoutes('Red team', (on) => {
    on.get(
      `${ASSESSMENT_PATH}/evidence`,
      {
        id: 'getEvidence',
        summary: 'Download the evidence of an assessment, signed',
        description:
          'A zip archive with the configuration, findings, trials and reviews, a manifest with the SHA-256 of each file, its Ed25519 signature, and a script that verifies them offline. The header `Drydock-Key-Fingerprint` has the fingerprint of the key. The assessment has to have ended.',
        ...MAY_READ,
        params: AssessmentParams,
        returns: 'file',
        long: true,
      },
      async ({ scope, params }) => {
        const assessment = await getAssessment(db, scope, params.assessment_id);
        requireEnded(assessment.status, 'download its evidence');
        const ref = { organizationId: scope.organizationId, id: assessment.id };
        const execution = await readExecution(db, ref);
        const archive = writeEvidence({ db, ref, assessment, execution, key, version });
        return Reply.file({
          name: `evidence-${assessment.id}.zip`,
          stream: Readable.from(archive, { objectMode: false }),
          headers: { 'drydock-key-fingerprint': key.fingerprint },
        });
      },
    );
  });
}
