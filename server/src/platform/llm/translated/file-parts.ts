/** Images, audio and files of a message. A URL is passed on to the provider, never fetched here. */
import type { LanguageModelV4FilePart } from '@ai-sdk/provider';
import { type FilePart, refused } from './request-schema.ts';

type Path = readonly PropertyKey[];

const AUDIO_TYPES = { wav: 'audio/wav', mp3: 'audio/mpeg' } as const;

const TYPES_BY_EXTENSION: Readonly<Record<string, string>> = {
  gif: 'image/gif',
  heic: 'image/heic',
  heif: 'image/heif',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  pdf: 'application/pdf',
  png: 'image/png',
  webp: 'image/webp',
};

export function fileOf(part: FilePart, path: Path): LanguageModelV4FilePart {
  if (part.type === 'image_url') return image(part.image_url.url, [...path, 'image_url', 'url']);
  if (part.type === 'input_audio') {
    const { data, format } = part.input_audio;
    return { type: 'file', mediaType: AUDIO_TYPES[format], data: { type: 'data', data } };
  }
  const { file_data, filename } = part.file;
  return { ...inline(file_data, [...path, 'file', 'file_data']), ...(filename && { filename }) };
}

function image(text: string, path: Path): LanguageModelV4FilePart {
  if (/^data:/i.test(text)) return inline(text, path);
  const url = URL.parse(text);
  if (url?.protocol !== 'https:') throw refused(path, 'The image has to be a data: URI or an https: URL.');
  const extension = url.pathname.split('.').at(-1)?.toLowerCase() ?? '';
  return { type: 'file', mediaType: TYPES_BY_EXTENSION[extension] ?? 'image/*', data: { type: 'url', url } };
}

function inline(uri: string, path: Path): LanguageModelV4FilePart {
  // Avoids a regular expression over the whole text, which may be many megabytes.
  const comma = uri.indexOf(',');
  const header = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w-]+=[^;]*)*;base64$/i.exec(
    uri.slice(0, Math.max(comma, 0)),
  );
  if (!header?.[1]) throw refused(path, 'It has to be of the form data:<media type>;base64,<content>.');
  return {
    type: 'file',
    mediaType: header[1].toLowerCase(),
    data: { type: 'data', data: uri.slice(comma + 1) },
  };
}
