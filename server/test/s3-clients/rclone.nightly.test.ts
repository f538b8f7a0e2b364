import { describeClient } from './client-suite.ts';
import { rclone } from './rclone.ts';

await describeClient(rclone);
