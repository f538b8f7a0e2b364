import { expect, test } from 'vitest';
import { toTransportOptions } from './settings.ts';

const environment = { DRYDOCK_URL: 'http://env.example/', DRYDOCK_API_KEY: 'dd_env' };

test('options default to the environment', () => {
  const options = toTransportOptions({}, '1.2.3', environment);
  expect(options).toMatchObject({ baseUrl: 'http://env.example', version: '1.2.3', maxRetries: 3 });
  expect(options.credential).toBe('dd_env');
});

test.each([
  [{ apiKey: 'dd_given' }, 'dd_given'],
  [{ accessToken: 'token' }, 'token'],
])('the option %j takes precedence over the environment', (given, expected) => {
  const options = toTransportOptions(
    { baseUrl: 'https://given.example/drydock//', ...given },
    '1',
    environment,
  );
  expect(options.baseUrl).toBe('https://given.example/drydock');
  expect(options.credential).toBe(expected);
});

test('a credential is optional, a URL is required', () => {
  expect(toTransportOptions({ baseUrl: 'http://x' }, '1', {}).credential).toBeUndefined();
  expect(() => toTransportOptions({}, '1', {})).toThrow(/baseUrl is missing.*DRYDOCK_URL/);
  expect(() => toTransportOptions({ baseUrl: 'localhost' }, '1', {})).toThrow(/"localhost" is not a URL/);
});

test.each([
  ['timeoutMs', Number.NaN],
  ['maxRetries', -1],
  ['retryPauseMs', '500'],
])('the option %s cannot be %j', (name, value) => {
  expect(() => toTransportOptions({ [name]: value }, '1', environment)).toThrow(
    new TypeError(`${name} must be a number, 0 or more, not ${String(value)}.`),
  );
});

test.each([
  ['localhost:8080', /not a URL with http or https/],
  ['ftp://x.example', /not a URL with http or https/],
  ['http://me:secret@x.example', /^baseUrl may contain neither a login/],
  ['http://x.example/?a=b', /^baseUrl may contain neither/],
])('the baseUrl %s is refused', (baseUrl, message) => {
  expect(() => toTransportOptions({ baseUrl }, '1', environment)).toThrow(message);
});

test.each(['apiKey', 'accessToken'])('a mistyped %s is refused without being shown', (name) => {
  const make = () => toTransportOptions({ [name]: 'dd_geheim…' }, '1', environment);
  expect(make).toThrow(new TypeError(`${name} must be a string of printable ASCII characters.`));
});

test('two credentials are refused', () => {
  expect(() => toTransportOptions({ apiKey: 'a', accessToken: 'b' }, '1', environment)).toThrow(/not both/);
});

test('a baseUrl may contain the path of the API', () => {
  expect(toTransportOptions({ baseUrl: 'http://x/drydock/api/v1/' }, '1', {}).baseUrl).toBe(
    'http://x/drydock',
  );
});
