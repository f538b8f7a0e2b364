import { describe, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { noteRoutes } from '../../../test/note-routes.ts';

const server = await startTestServer({}, noteRoutes);
const owner = server.as(server.owner);
const member = await server.addPerson('member', { role: 'member' });
const outsider = await server.addPerson('outsider');
const known = { name: 'main/known', version: '1.0.0', is_public: true };
const missing = { code: 404, type: 'not_found_error', detail: 'Note "canary" was not found.' };

/** Creates a key of the owner, who has another organization and sees all of this one. */
async function narrowKey(limits: object): Promise<string> {
  const { status, body } = await owner.post('/user/api-keys', { name: 'narrow', ...limits });
  expect(status).toBe(201);
  return body.key;
}

describe('an artifact route', () => {
  test('is accessible to members in any case', async () => {
    for (const name of ['canary', 'known']) {
      const { status, body } = await server.as(member).get(`/org/main/notes/${name}`);
      expect([status, body.name]).toEqual([200, `main/${name}`]);
    }
  });

  test('is accessible to strangers as far as the artifact is public, including paths below it', async () => {
    const stranger = server.as(outsider);
    expect((await stranger.get('/org/main/notes/known')).body).toEqual(known);
    expect((await stranger.get('/org/main/notes/known/1.0.0/files')).status).toBe(200);
    expect((await stranger.get('/org/main/notes/known/1.0.0/files/a%2Fb.txt')).status).toBe(302);
    expect((await stranger.post('/org/main/notes/known/1.0.0/download')).body).toEqual(known);
    const refused = await stranger.get('/org/main/notes/canary');
    expect([refused.status, refused.body]).toEqual([404, missing]);
  });

  test('does not give strangers the list or any write access', async () => {
    const stranger = server.as(outsider);
    expect((await stranger.get('/org/main/notes')).status).toBe(403);
    expect((await stranger.put('/org/main/notes/known/1.0.0', Buffer.from('x'))).status).toBe(403);
  });

  test('gives a key of one workspace the same access as its user', async () => {
    const { body } = await owner.get('/org/main/ws/main');
    const key = server.as(await narrowKey({ workspace_id: body.id }));
    expect((await key.get('/org/main/notes/canary')).status).toBe(200);
    expect((await key.get('/org/nowhere/notes/canary')).body).toEqual(missing);
  });

  test('requires the scope before everything else', async () => {
    const key = server.as(await narrowKey({ allowed_scopes: ['models:read'] }));
    for (const place of ['main/notes/known', 'main/notes/canary', 'nowhere/notes/canary']) {
      const { status, body } = await key.get(`/org/${place}`);
      expect([status, body.detail]).toEqual([403, 'This key lacks the scope "datasets:read".']);
    }
  });

  test('documents its access', () => {
    const { get } = (server.app.swagger().paths ?? {})['/api/v1/org/{org}/notes/{name}'] ?? {};
    expect(get).toMatchObject({ 'x-access': { level: 'artifact', scope: 'datasets:read' } });
  });
});
