import { describeClient } from './client-suite.ts';
import { s3cmd } from './s3cmd.ts';

await describeClient(s3cmd);
