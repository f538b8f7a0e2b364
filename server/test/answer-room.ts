/** Room for the answer to a call that is alone. */
import { MemoryRoom } from '../src/platform/memory-room.ts';

export const ownRoom = () => new MemoryRoom({ what: 'large answers' }).open(undefined);
