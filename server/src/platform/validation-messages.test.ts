import { expect, test } from 'vitest';
import { z } from 'zod';
import './validation-messages.ts';

const cases: [z.ZodType, unknown, string][] = [
  [z.string(), 7, 'must be a string, not a number'],
  [z.string(), undefined, 'is required'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.int(), 'x', 'must be a number, not a string'],
  [z.boolean(), [], 'must be true or false, not a list'],
  [z.object({}), null, 'must be an object, not null'],
  [z.array(z.int()), {}, 'must be a list, not an object'],
  [z.number().max(500), 501, 'must be at most 500'],
  [z.number().lt(1), 1, 'must be less than 1'],
  [z.number().min(1), 0, 'must be at least 1'],
  [z.number().gt(0), 0, 'must be more than 0'],
  [z.string().min(1), '', 'must not be empty'],
  [z.string().min(3), 'x', 'must have at least 3 characters'],
  [z.string().max(2), 'xyz', 'must have at most 2 characters'],
  [z.array(z.int()).min(1), [], 'must have at least 1 item'],
  [z.array(z.int()).max(1), [1, 2], 'must have at most 1 item'],
  [z.guid(), 'nope', 'must be a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057'],
  [z.iso.datetime(), 'today', 'must be a date-time such as 2026-01-31T12:00:00Z'],
  [z.url(), 'nope', 'must be a URL such as https://example.com/path'],
  [z.email(), 'nope', 'must be an e-mail address'],
  [z.string().regex(/^[a-z]+$/), '1', 'must match the pattern /^[a-z]+$/'],
  [z.string().regex(/^[a-z]+$/, 'must be lower case'), '1', 'must be lower case'],
  [z.number().multipleOf(5), 7, 'must be a multiple of 5'],
  [z.literal('yes'), 'no', 'must be "yes"'],
  [z.enum(['running', 'paused']), 'idle', 'must be one of "running", "paused"'],
  [z.enum(['running', 'paused']), 'runing', 'must be one of "running", "paused"; did you mean "running"?'],
  [z.strictObject({}), { x: 1 }, 'must not have "x"'],
  [z.union([z.string(), z.array(z.string())]), 7, 'must be a string or a list, not a number'],
  [z.union([z.literal('none'), z.int()]), [], 'must be "none" or a number, not a list'],
  [z.discriminatedUnion('type', [z.object({ type: z.literal('a') })]), { type: 'b' }, 'must be "a"'],
];

test.each(cases)('safeParse describes the mistake in our words (%#)', (schema, given, message) => {
  expect(schema.safeParse(given).error?.issues[0]?.message).toBe(message);
});
