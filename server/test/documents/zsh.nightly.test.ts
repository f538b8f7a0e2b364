/** The README and all guides, pasted into zsh. What differs between the shells is tested by `shells.test.ts`. */
import { BASICS, JOBS, OPERATE } from './stops.ts';
import { describeTour } from './tour.ts';

describeTour('zsh', [...BASICS, ...OPERATE]);
describeTour('zsh', JOBS);
