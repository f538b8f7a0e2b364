/** Sources of spans as they are stored: once per distinct content. */
import { createHash } from 'node:crypto';
import { toStorableText } from '../../platform/storable-text.ts';
import type { AnyValue, KeyValue, SpanSource } from '../otlp/model.ts';
import { attributesToJson, toJson } from '../otlp/value-json.ts';
import type { ChunkSource, Claim } from './span-chunk.ts';

export interface SourceContent {
  readonly source: Omit<ChunkSource, 'spans'>;
  /** Bytes in the response that shows a span of this source. */
  readonly bytes: number;
}

const MAX_SERVICE_NAME = 255;

export function toContent({ resource, scope }: SpanSource): SourceContent {
  const resourceJson =
    `{"attributes":${attributesToJson(resource.attributes)},` +
    `"dropped_attributes_count":${resource.droppedAttributesCount},"schema_url":${toJson(resource.schemaUrl)}}`;
  const scopeJson =
    `{"name":${toJson(scope.name)},"version":${toJson(scope.version)},"attributes":${attributesToJson(scope.attributes)},` +
    `"dropped_attributes_count":${scope.droppedAttributesCount},"schema_url":${toJson(scope.schemaUrl)}}`;
  const name = findLast(resource.attributes, 'service.name');
  const source = {
    id: idOf(resourceJson, scopeJson),
    serviceName:
      typeof name === 'string' && name !== '' ? toStorableText(name.slice(0, MAX_SERVICE_NAME)) : null,
    resource: resourceJson,
    scope: scopeJson,
    workspace: toClaim(findLast(resource.attributes, 'drydock.workspace')),
    project: toClaim(findLast(resource.attributes, 'drydock.project')),
  };
  return { source, bytes: Buffer.byteLength(resourceJson) + Buffer.byteLength(scopeJson) };
}

/** Returns the last value of a repeated key, as readers of the attributes do. */
const findLast = (attributes: readonly KeyValue[], key: string): AnyValue | undefined =>
  attributes.findLast((attribute) => attribute.key === key)?.value;

const toClaim = (value: AnyValue | undefined): Claim =>
  typeof value === 'string' || value === undefined ? value : null;

/** JSON contains no NUL, so the separated pair is unambiguous. */
function idOf(resource: string, scope: string): string {
  const hex = createHash('sha256').update(`${resource}\0${scope}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
