/** The guides to evaluations and other jobs, pasted into bash. */
import { JOBS } from './stops.ts';
import { describeTour } from './tour.ts';

describeTour('bash', JOBS);
