/** The README and the guides, pasted into bash. */
import { TOUR } from './stops.ts';
import { describeTour } from './tour.ts';

describeTour('bash', TOUR);
