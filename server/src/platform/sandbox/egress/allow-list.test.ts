import { describe, expect, test } from 'vitest';
import { AllowList, findDestination, findPatternMistake, toPattern } from './allow-list.ts';

describe('a pattern of an allow-list', () => {
  test.each([
    'example.com',
    'EXAMPLE.com',
    'example.com.',
    '*.example.com',
    'a.b.c.example.com:8443',
    '*.example.com:1',
    '_dmarc.example.com',
    'xn--bcher-kva.example',
    '93.184.216.34',
    '93.184.216.34:8080',
    '[2606:4700::1111]',
    '[2606:4700::1111]:8443',
  ])('%s is valid', (text) => {
    expect(findPatternMistake(text)).toBeUndefined();
  });

  test.each([
    '127.0.0.1',
    '10.0.0.1:80',
    '169.254.169.254',
    '[::1]',
    '[fd00::1]:80',
    'localhost',
    '*.db.localhost',
  ])('%s is refused, since sandboxes cannot reach it', (text) => {
    expect(findPatternMistake(text)).toContain('a sandbox reaches public addresses only');
  });

  test.each([
    '',
    ' ',
    '*',
    '*.',
    '*.com',
    '**.example.com',
    'a.*.com',
    'ex*mple.com',
    'https://example.com',
    'example.com/path',
    'user@example.com',
    'example.com:0',
    'example.com:65536',
    'example.com:',
    'example.com:http',
    'example..com',
    '-a.example.com',
    '2606:4700::1111',
    '[example.com]',
    '[::1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0x7f000001',
    '*.93.184.216.34',
    'exa mple.com',
    'example.com\nevil.example',
    'bücher.example',
    `${'a'.repeat(64)}.com`,
    `${'a.'.repeat(130)}com`,
  ])('%j is invalid, and the message says how to write a pattern', (text) => {
    expect(findPatternMistake(text)).toMatch(/Write a host as|Name the domain|leave it out/);
  });
});

describe('an allow-list', () => {
  const permits = (patterns: string[], text: string) => {
    const destination = findDestination(text);
    return destination !== undefined && new AllowList(patterns).permits(destination);
  };

  test.each([
    [['example.com'], 'example.com:443'],
    [['example.com'], 'example.com:80'],
    [['example.com'], 'EXAMPLE.COM.:443'],
    [['Example.Com.'], 'example.com:443'],
    [['*.example.com'], 'a.example.com:443'],
    [['*.example.com'], 'a.b.example.com:443'],
    [['example.com:8443'], 'example.com:8443'],
    [['other.com', 'example.com'], 'example.com:443'],
    [['93.184.216.34'], '93.184.216.34:443'],
    [['93.184.216.34'], '[::ffff:93.184.216.34]:443'],
    [['[2606:4700:0:0::1111]'], '[2606:4700::1111]:443'],
  ])('%j permits %s', (patterns, text) => {
    expect(permits(patterns, text)).toBe(true);
  });

  test.each([
    [[], 'example.com:443'],
    [['example.com'], 'a.example.com:443'],
    [['*.example.com'], 'example.com:443'],
    [['*.example.com'], 'evilexample.com:443'],
    [['example.com'], 'example.com.evil.com:443'],
    [['example.com'], 'example.com:22'],
    [['example.com:8443'], 'example.com:443'],
    [['*.example.com:8443'], 'a.example.com:443'],
    [['example.com'], 'example.com:443@evil.com:443'],
    [['example.com'], 'example.com:443\u0000.evil.com'],
    [['93.184.216.34'], '0x5d.184.216.34:443'],
  ])('%j does not permit %j', (patterns, text) => {
    expect(permits(patterns, text)).toBe(false);
  });

  test('the pattern suggested by a refusal permits the destination', () => {
    for (const text of [
      'example.com:443',
      'example.com:22',
      '[2606:4700::1111]:443',
      '[2606:4700::1111]:22',
    ]) {
      const destination = findDestination(text);
      if (!destination) throw new Error(`${text} was not read`);
      expect(new AllowList([toPattern(destination)]).permits(destination)).toBe(true);
    }
  });
});
