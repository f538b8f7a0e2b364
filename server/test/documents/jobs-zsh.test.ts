/** The guides to evaluations and other jobs, pasted into zsh; the longest of them nightly. */
import { JOBS, LONG } from './stops.ts';
import { describeTour } from './tour.ts';

const short = JOBS.filter((path) => !LONG.includes(path));

describeTour('zsh', short);
