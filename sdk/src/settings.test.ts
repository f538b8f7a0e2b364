import { expect, test } from 'vitest';
import { toTransportOptions } from './settings.ts';

const environment = { DRYDOCK_URL: 'http://env.example/', DRYDOCK_API_KEY: 'dd_env' };

test('what is not given comes from the environment', async () => {
  const options = toTransportOptions({}, '1.2.3', environment);
  expect(options).toMatchObject({ baseUrl: 'http://env.example', version: '1.2.3', maxRetries: 3 });
  expect(await options.credential?.()).toBe('dd_env');
});

test.each([
  [{ apiKey: 'dd_given' }, 'dd_given'],
  [{ accessToken: 'token' }, 'token'],
  [{ accessToken: async () => 'fresh' }, 'fresh'],
])('%j wins over the environment', async (given, expected) => {
  const options = toTransportOptions(
    { baseUrl: 'https://given.example/drydock//', ...given },
    '1',
    environment,
  );
  expect(options.baseUrl).toBe('https://given.example/drydock');
  expect(await options.credential?.()).toBe(expected);
});

test('no credential is fine, no URL is not', () => {
  expect(toTransportOptions({ baseUrl: 'http://x' }, '1', {}).credential).toBeUndefined();
  expect(() => toTransportOptions({}, '1', {})).toThrow(/no baseUrl.*DRYDOCK_URL/);
  expect(() => toTransportOptions({ baseUrl: 'localhost' }, '1', {})).toThrow(/"localhost" is not a URL/);
});

test('two credentials are one too many', () => {
  expect(() => toTransportOptions({ apiKey: 'a', accessToken: 'b' }, '1', environment)).toThrow(/not both/);
});
