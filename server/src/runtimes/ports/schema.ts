import { z } from 'zod';
import { RuntimeParams } from '../schema.ts';

const MAX_PORT = 65_535;

export const PortParams = RuntimeParams.extend({
  port: z
    .string()
    .refine((text) => /^[1-9]\d{0,4}$/.test(text) && Number(text) <= MAX_PORT, 'must be a port: 1 to 65535')
    .describe('One of sandbox.exposed_ports of its configuration'),
  path: z.string().default('').describe('Passed on as it is'),
});
