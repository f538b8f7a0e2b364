/** Runs the whole suite with Docker, or with the engine that `npm run test:containers` names. */
import type { EngineKind } from './containers/engine-under-test.ts';
import { describeContainerProvider } from './containers/provider-suite.ts';
import { ALL_CASES, MIN_CASES } from './sandbox-suite/cases.ts';

const kind = (process.env.DRYDOCK_TEST_CONTAINERS ?? 'docker') as EngineKind;

await describeContainerProvider(kind, ALL_CASES, MIN_CASES);
