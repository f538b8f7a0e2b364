/** Runs before each test file. Modules stay loaded for later files, so no other module may set a hook while loading. */
import { afterAll } from 'vitest';
import { endFile } from './end-of-file.ts';
import './patient-waits.ts';

afterAll(endFile);
