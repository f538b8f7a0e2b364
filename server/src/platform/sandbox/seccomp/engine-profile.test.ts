import { describe, expect, test } from 'vitest';
import { allBut, type CallRule, toEngineProfile } from './engine-profile.ts';
import { ERRNO } from './filter.ts';
import { SYSTEM_CALLS } from './system-calls.ts';

const profile = toEngineProfile('x64');

/** Evaluates the profile like an engine: the single matching rule, else the default. */
function judge(name: string, ...args: number[]): number | 'allowed' {
  const fits = ({ names, args: rules = [] }: CallRule) =>
    names.includes(name) &&
    rules.every(({ index, op, value, valueTwo = 0 }) => {
      const given = BigInt(args[index] ?? 0);
      if (op === 'SCMP_CMP_EQ') return given === BigInt(value);
      if (op === 'SCMP_CMP_GT') return given > BigInt(value);
      return (given & BigInt(value)) === BigInt(valueTwo);
    });
  const found = profile.syscalls.filter(fits);
  // The precedence between two matching rules depends on the engine, so matching rules must not differ.
  expect(new Set(found.map(({ action, errnoRet }) => `${action} ${errnoRet}`)).size).toBeLessThanOrEqual(1);
  const [rule] = found;
  if (!rule) return profile.defaultErrnoRet;
  return rule.action === 'SCMP_ACT_ALLOW' ? 'allowed' : (rule.errnoRet ?? Number.NaN);
}

describe('the seccomp profile for engines', () => {
  test('names every call of the filter exactly once', () => {
    const named = new Set(profile.syscalls.flatMap(({ names }) => names));
    expect(Object.keys(SYSTEM_CALLS).filter((name) => !named.has(name))).toEqual([]);
    const whole = profile.syscalls.filter(({ args }) => args === undefined).flatMap(({ names }) => names);
    expect(whole.length).toBe(new Set(whole).size);
    expect(toEngineProfile('arm64').architectures).toEqual(['SCMP_ARCH_AARCH64']);
  });

  test.each([
    ['read', [], 'allowed'],
    ['mount', [], ERRNO.EPERM],
    ['setns', [3, 0x10000000], ERRNO.EPERM],
    ['clone3', [], ERRNO.ENOSYS],
    ['a_call_of_tomorrow', [], ERRNO.ENOSYS],
    ['clone', [0x11], 'allowed'],
    ['clone', [0x003d0f00], 'allowed'],
    ['clone', [0x10000011], ERRNO.EPERM],
    ['clone', [0x7e020000], ERRNO.EPERM],
    ['unshare', [0x400], 'allowed'],
    ['unshare', [0x20000], ERRNO.EPERM],
    ['unshare', [0x80], ERRNO.EPERM],
    ['ioctl', [0, 0x5401], 'allowed'],
    ['ioctl', [0, 0x5412], ERRNO.EPERM],
    ['ioctl', [0, 0x5412 + 2 ** 32], ERRNO.EPERM],
    ['ioctl', [0, 0x541c], ERRNO.EPERM],
    ['ioctl', [0, 0x5423], ERRNO.EPERM],
    ['ioctl', [0, 0xffffffff], 'allowed'],
    ['personality', [0xffffffff], 'allowed'],
    ['personality', [0x40000], ERRNO.ENOSYS],
    ['socket', [1, 1, 0], 'allowed'],
    ['socket', [2, 0x80801, 6], 'allowed'],
    ['socket', [10, 2, 58], 'allowed'],
    ['socket', [16, 3, 0], 'allowed'],
    ['socket', [16, 3, 9], ERRNO.EPROTONOSUPPORT],
    ['socket', [2, 1, 132], ERRNO.EPROTONOSUPPORT],
    ['socket', [2, 3, 1], ERRNO.EPERM],
    ['socket', [17, 3, 768], ERRNO.EAFNOSUPPORT],
    ['socket', [2 + 2 ** 32, 1, 0], ERRNO.EAFNOSUPPORT],
    ['socket', [0, 1, 0], ERRNO.EAFNOSUPPORT],
    ['socketpair', [1, 1, 0], 'allowed'],
    ['socketpair', [2, 1, 0], ERRNO.EAFNOSUPPORT],
  ] as const)('%s(%o) is %s', (name, args, verdict) => {
    expect(judge(name, ...args)).toBe(verdict);
  });

  test('allBut returns masks that match all numbers except the excluded ones', () => {
    const excluded = [0, 0x5412, 0x541c, 0xffffffff];
    const masks = allBut(excluded);
    const fitting = (number: number) =>
      masks.filter(({ mask, value }) => (number & mask) >>> 0 === value).length;
    for (const number of excluded) expect(fitting(number)).toBe(0);
    const others = [1, 0x5411, 0x5413, 0x541d, 0x80000000, 0xfffffffe, 0x15412];
    for (let n = 0; n < 1000; n++) others.push(Math.floor(Math.random() * 2 ** 32));
    for (const number of others.filter((one) => !excluded.includes(one)))
      expect(fitting(number), String(number)).toBe(1);
  });
});
