/** The longest guides, pasted into zsh. */
import { LONG } from './stops.ts';
import { describeTour } from './tour.ts';

describeTour('zsh', LONG);
