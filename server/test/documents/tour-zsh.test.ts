/** The README and the guides to single parts, pasted into zsh. */
import { BASICS, OPERATE } from './stops.ts';
import { describeTour } from './tour.ts';

describeTour('zsh', [...BASICS, ...OPERATE]);
