/** Request and response schemas of publishing. */
import { z } from 'zod';
import { Id, Timestamp, Uuid } from '../../platform/fields.ts';
import { findPathProblem } from '../../platform/file-tree.ts';
import { ArtifactName } from '../references.ts';
import { SemVer } from '../version.ts';

export const MAX_FILES = 10_000;
const MAX_FILE_BYTES = 5 * 2 ** 30;

const FilePath = z.string().superRefine((path, context) => {
  const problem = findPathProblem(path);
  if (problem) context.addIssue({ code: 'custom', message: problem });
});

export const ArtifactUploadRequest = z
  .object({
    files: z
      .array(
        z.object({
          path: FilePath,
          size_bytes: z.int().min(0).max(MAX_FILE_BYTES),
          sha256: z
            .string()
            .regex(/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal digits')
            .toLowerCase(),
        }),
      )
      .max(MAX_FILES),
    manifest: z.record(z.string(), z.unknown()).describe("As in the kind's manifest file"),
  })
  .meta({ id: 'ArtifactUploadRequest' });

export const ArtifactUpload = z
  .object({
    upload_id: Id,
    expires_at: Timestamp.describe('Until when the links are valid'),
    files: z.array(
      z.object({
        path: z.string(),
        sha256: z.string(),
        size_bytes: z.int(),
        url: z
          .string()
          .nullable()
          .describe('Send the content with PUT; null where the organization has it already'),
      }),
    ),
  })
  .meta({ id: 'ArtifactUpload' });

export const CompleteUploadRequest = z
  .object({ upload_id: Uuid.nullish().describe('By default the latest of the caller for this version') })
  .optional()
  .meta({ id: 'CompleteUploadRequest' });

export const publishParams = z.object({ name: ArtifactName, version: SemVer });

export type NewUpload = z.output<typeof ArtifactUploadRequest>;
