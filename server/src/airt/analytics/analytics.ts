/** The analytics of an assessment that the API returns: after triage, with the judge's precision and the figures before triage. */
import type { z } from 'zod';
import type { Db } from '../../platform/db/connect.ts';
import type { JobRef } from '../../platform/jobs/job-kind.ts';
import { analyze } from './analyze.ts';
import { readCalibration } from './judge-calibration.ts';
import { readMeasured } from './measured.ts';
import type { AirtAnalytics } from './schema.ts';

export async function getAnalytics(db: Db, ref: JobRef): Promise<z.output<typeof AirtAnalytics>> {
  const measured = await readMeasured(db, ref);
  if (!measured) throw new Error(`assessment ${ref.id} is gone`);
  const { overall_asr, risk_score } = analyze(measured, { isTriaged: false });
  return {
    ...analyze(measured, { isTriaged: true }),
    run: { overall_asr, risk_score },
    calibration: await readCalibration(db, ref.organizationId, measured),
  };
}
