import { awsSdk } from './aws-sdk.ts';
import { describeClient } from './client-suite.ts';

await describeClient(awsSdk);
