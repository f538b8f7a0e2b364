/** Before each test file. Modules stay loaded for the files after it: no other may set a hook while it is loaded. */
import { afterAll } from 'vitest';
import { endFile } from './end-of-file.ts';
import './patient-waits.ts';

afterAll(endFile);
