import { awscli } from './awscli.ts';
import { describeClient } from './client-suite.ts';

await describeClient(awscli);
