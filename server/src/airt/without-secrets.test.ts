import { expect, test } from 'vitest';
import { withoutSecrets } from './without-secrets.ts';

test('withoutSecrets masks credentials and keeps references and settings', () => {
  const config = {
    kind: 'http',
    url: 'https://ada:pass@host.example/chat?key=abc&key=def&v=1#part',
    headers: {
      Authorization: 'Bearer {{secret:TARGET_KEY}}',
      'X-Custom': 'could be anything',
    },
    max_tokens: 100,
    more: [{ apiKey: 'abc', model: 'sim/guarded' }],
    client_secret: 'abc',
  };
  expect(withoutSecrets(config)).toEqual({
    kind: 'http',
    url: 'https://host.example/chat?key=***&v=***',
    headers: { Authorization: 'Bearer {{secret:TARGET_KEY}}', 'X-Custom': '***' },
    max_tokens: 100,
    more: [{ apiKey: '***', model: 'sim/guarded' }],
    client_secret: '***',
  });
});

test('withoutSecrets returns null, texts and broken URLs as they are', () => {
  expect(withoutSecrets(null)).toBe(null);
  expect(withoutSecrets('text')).toBe('text');
  expect(withoutSecrets({ url: 'not a url' })).toEqual({ url: 'not a url' });
});
