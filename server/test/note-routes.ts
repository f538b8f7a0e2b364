/** A small domain of versioned resources, some of them public, to test the checks before such operations. */
import { z } from 'zod';
import type { OrgScope } from '../src/platform/auth/principal.ts';
import { notFound } from '../src/platform/errors.ts';
import { artifactRoutes, BYTES, orgRoutes, type RouteGroup } from '../src/platform/http/operations.ts';

const NOTES = [
  { org: 'main', name: 'canary', version: '1.0.0', is_public: false },
  { org: 'main', name: 'known', version: '1.0.0', is_public: true },
];

const Note = z.object({ name: z.string(), version: z.string(), is_public: z.boolean() });
const read = { scope: 'datasets:read' } as const;
const write = { scope: 'datasets:write', role: 'member' } as const;

/** Finds a note as an artifact is found: members see everything, others what is public. */
function getNote({ organizationKey, role }: OrgScope, name: string) {
  const note = NOTES.find((one) => one.org === organizationKey && one.name === name);
  if (!note || (role === null && !note.is_public)) throw notFound(`Note "${name}"`);
  return { ...note, name: `${note.org}/${note.name}` };
}

export const noteRoutes: readonly RouteGroup[] = [
  orgRoutes('Notes', (on) => {
    const list = { id: 'listNotes', summary: 'List notes', ...read, role: 'member' } as const;
    on.get('/notes', { ...list, response: z.object({ notes: z.array(Note) }) }, ({ scope }) => ({
      notes: NOTES.map(({ name }) => getNote(scope, name)),
    }));
    const upload = { contentTypes: { 'application/gzip': BYTES }, maxBytes: 1_000 };
    const params = z.object({ name: z.string(), version: z.string() });
    const publish = { id: 'publishNote', summary: 'Publish a note', ...write, params, upload } as const;
    on.put('/notes/:name/:version', { ...publish, response: Note, status: '201 or 200' }, (call) =>
      getNote(call.scope, call.params.name),
    );
  }),
  artifactRoutes('Notes', (on) => {
    const params = z.object({ name: z.string() });
    on.get(
      '/notes/:name',
      { id: 'getNote', summary: 'Read a note', ...read, params, response: Note },
      (call) => getNote(call.scope, call.params.name),
    );
    const files = { summary: 'List files of a note', ...read, params };
    on.get(
      '/notes/:name/:version/files',
      { id: 'listNoteFiles', ...files, response: z.array(z.object({ path: z.string() })) },
      (call) => [{ path: `${getNote(call.scope, call.params.name).version}/a b.txt` }],
    );
    const file = { id: 'getNoteFile', summary: 'Read a file of a note', ...read, status: 302 } as const;
    on.get(
      '/notes/:name/:version/files/*path',
      { ...file, params: params.extend({ path: z.string() }), response: z.string() },
      (call) => `https://objects.example/${getNote(call.scope, call.params.name).name}`,
    );
    on.post(
      '/notes/:name/:version/download',
      { id: 'downloadNote', summary: 'Download a note', ...read, params, response: Note },
      (call) => getNote(call.scope, call.params.name),
    );
  }),
];
