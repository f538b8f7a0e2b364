/** The README and the guides to single parts, pasted into bash. */
import { BASICS, OPERATE } from './stops.ts';
import { describeTour } from './tour.ts';

describeTour('bash', [...BASICS, ...OPERATE]);
