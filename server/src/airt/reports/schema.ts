/** Shapes of reports. */
import { z } from 'zod';
import { Id, Timestamp } from '../../platform/fields.ts';
import { AssessmentParams } from '../schema.ts';

export const REPORT_TYPES = ['markdown', 'json', 'html', 'sarif', 'executive_summary'] as const;
export type ReportType = (typeof REPORT_TYPES)[number];

const MAX_CONTENT_BYTES = 5 * 1024 ** 2;

export const ReportParams = AssessmentParams.extend({ report_id: z.string() });

const Json = z.record(z.string(), z.unknown());

export const CreateReportRequest = z
  .object({
    report_type: z.enum(REPORT_TYPES),
    content: z
      .string()
      .refine((text) => Buffer.byteLength(text) <= MAX_CONTENT_BYTES, 'may have at most 5 MiB')
      .nullish()
      .describe('Stored as it is. Without content and content_json, the report is generated.'),
    content_json: Json.refine(
      (value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_CONTENT_BYTES,
      'may have at most 5 MiB',
    ).nullish(),
  })
  .meta({ id: 'CreateReportRequest' });

export type CreateReportRequestOf = z.output<typeof CreateReportRequest>;

export const AssessmentReport = z
  .object({
    id: Id,
    assessment_id: Id,
    report_type: z.enum(REPORT_TYPES),
    content: z.string().nullable().describe('Of every type but `json`'),
    content_json: Json.nullable().describe('Of `json` and `sarif`'),
    created_at: Timestamp,
  })
  .meta({ id: 'AssessmentReport' });

export type ReportOf = z.output<typeof AssessmentReport>;
