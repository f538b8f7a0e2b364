import { z } from 'zod';
import { Timestamp } from '../../platform/fields.ts';

const Path = z.string().min(1).max(4_096).describe('Below /workspace: relative to it, or absolute');

export const FileQuery = z.object({ path: Path });

export const DeleteFileQuery = FileQuery.extend({
  recursive: z.boolean().default(false).describe('Also a folder, with all that it holds'),
});

export const ListFilesQuery = z.object({ path: Path.default('.') });

export const RuntimeFile = z
  .object({
    name: z.string().describe('Bytes that are no UTF-8 are shown as U+FFFD'),
    path: z.string().describe('Relative to /workspace'),
    type: z.enum(['file', 'directory', 'symlink', 'other']),
    size_bytes: z.int(),
    modified_at: Timestamp,
    mode: z.string().describe('Such as 0644'),
  })
  .meta({ id: 'RuntimeFile' });

export const RuntimeFileList = z
  .object({
    entries: z.array(RuntimeFile).describe('By name'),
    is_truncated: z.boolean().describe('There are more than are listed'),
  })
  .meta({ id: 'RuntimeFileList' });
