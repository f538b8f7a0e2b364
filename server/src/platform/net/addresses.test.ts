import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { isOwnAddress, isPublicAddress, toCanonicalAddress } from './addresses.ts';

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2001:4860:4860::8888',
  '2a00:1450:4001::200e',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
  '2002:808:808::1',
])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.100.100.200',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::7f00:1',
  '::127.0.0.1',
  '::8.8.8.8',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '0:0:0:0:0:ffff:10.0.0.1',
  '::ffff:169.254.169.254',
  '::ffff:0:127.0.0.1',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::8.8.8.8',
  '2002:7f00:1::',
  '2002:a00:1::1',
  '2002:c0a8:101::',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:db8::1',
  '3fff::1',
  '100::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  '2606:4700::1%eth0',
  'fec0::1',
  'ff02::1',
  '5f00::1',
  'example.com',
  '127.1',
  '0x7f.0.0.1',
  '',
])('%s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test('toCanonicalAddress returns one spelling for each address', () => {
  expect(toCanonicalAddress('2606:4700:0:0:0:0:0:1111')).toBe('2606:4700::1111');
  expect(toCanonicalAddress('2606:4700::0A')).toBe('2606:4700::a');
  expect(toCanonicalAddress('::ffff:808:808')).toBe('8.8.8.8');
  expect(toCanonicalAddress('fe80::1%eth0')).toBe('fe80::1');
});

test('isOwnAddress recognises the addresses of this machine in every notation', () => {
  const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  expect(addresses.length).toBeGreaterThan(0);
  for (const { address } of addresses) expect(isOwnAddress(address)).toBe(true);
  expect(isOwnAddress('::ffff:127.0.0.1')).toBe(true);
  expect(isOwnAddress('8.8.8.8')).toBe(false);
});
