/** The guides to evaluations and other jobs, pasted into zsh. */
import { JOBS } from './stops.ts';
import { describeTour } from './tour.ts';

describeTour('zsh', JOBS);
