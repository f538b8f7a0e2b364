/** The README and the guides, pasted into zsh, which has no comments at its prompt and does not split words. */
import { TOUR } from './stops.ts';
import { describeTour } from './tour.ts';

describeTour('zsh', TOUR);
