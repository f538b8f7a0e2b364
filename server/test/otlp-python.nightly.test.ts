/** The OpenTelemetry SDK for Python, as programs use it, against a listening server. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { findPython } from '../../scripts/python-packages.ts';
import { startTestServer } from './harness.ts';
import { addOrganization } from './other-organization.ts';
import { readSpans, type StoredSpan } from './stored-spans.ts';

const run = promisify(execFile);
const python = findPython();

const EVERY_TYPE = [
  '"text":"Grüße, 世界 🌍"',
  '"empty text":""',
  '"integer":42',
  '"zero":0',
  '"largest integer":9223372036854775807',
  '"smallest integer":-9223372036854775808',
  '"integer beyond a double":9007199254740993',
  '"double":0.1',
  '"whole double":1.0',
  '"large double":1e+21',
  '"largest double":1.7976931348623157e+308',
  '"negative zero":-0.0',
  '"not a number":{"doubleValue":"NaN"}',
  '"infinite":[{"doubleValue":"Infinity"},{"doubleValue":"-Infinity"}]',
  '"yes":true',
  '"no":false',
  '"bytes":{"bytesValue":"AAF/gP8="}',
  '"no bytes":{"bytesValue":""}',
  '"nothing":null',
  '"texts":["a","","ü"]',
  '"integers":[1,-2,9223372036854775807]',
  '"doubles":[1.0,-2.25]',
  '"flags":[true,false]',
  '"empty":[]',
  '"mixed":["a",1,2.5,null,true,{"bytesValue":"Bw=="},["inner",[]],{"key":"value"}]',
  '"nested":{"list":[{"deep":{"deeper":[1,{"deepest":{"bytesValue":"eWVz"}}]}}],"empty map":{},"int64":-9223372036854775808}',
  '"like ours":{"kvlistValue":{"doubleValue":"NaN"}}',
].join(',');

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const numbered = (number: number, digits: number) => `\\x${number.toString(16).padStart(digits, '0')}`;

if (python) await describeSdk(python);
else
  describe.skip('the Python SDK', () =>
    test('skipped: its packages are not installed here; "npm run setup -- --tests" installs them', () =>
      undefined));

async function describeSdk(program: string): Promise<void> {
  const server = await startTestServer();
  const { owner } = server;
  const url = await server.app.listen({ host: '127.0.0.1', port: 0 });

  /** @param compression a value of OTEL_EXPORTER_OTLP_COMPRESSION */
  async function send(org: string, compression: string): Promise<StoredSpan[]> {
    const organizationId = await addOrganization(server, owner, org);
    const environment = {
      PATH: process.env['PATH'],
      OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/api/v1/org/${org}/otel`, // the SDK appends /v1/traces
      OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${owner.key}`,
      OTEL_EXPORTER_OTLP_COMPRESSION: compression,
    };
    const script = join(import.meta.dirname, 'python/send_spans.py');
    const { stderr } = await run(program, [script], { env: environment });
    // The SDK logs what could not be sent and, each time, what it drops.
    expect(
      stderr.split('\n').filter((line) => line !== '' && !line.startsWith('Attributes dict is full')),
    ).toEqual([]);
    return readSpans(server.db, organizationId);
  }

  describe('the Python SDK', async () => {
    const stored = await send('plain', 'none');
    const find = (name: string) => stored.find((row) => row['name'] === name);

    test.each(['gzip', 'deflate'])('sends the same spans with %s', async (compression) => {
      const timeless = ({ start_time, start_ns, end_time, end_ns, ...row }: StoredSpan) =>
        find(String(row['name']))?.['service_name'] === 'many'
          ? row
          : { ...row, start_time, start_ns, end_time, end_ns };
      const packed = await send(compression, compression);
      expect(packed.map(timeless)).toEqual(stored.map(timeless));
    });

    test('keeps attributes of every type, status, times and ids', () => {
      expect(find('everything')).toMatchObject({
        trace_id: `\\x${TRACE}`,
        span_id: numbered(1, 16),
        parent_span_id: `\\x${PARENT}`,
        trace_state: 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE',
        flags: 0x300,
        kind: 2,
        status_code: 2,
        status_message: 'The card was refused.',
        start_time: '2026-09-21T14:13:20.123456+00:00',
        start_ns: 789,
        end_time: '2026-09-21T14:13:21.123456+00:00',
        end_ns: 790,
        attributes: `{${EVERY_TYPE}}`,
        service_name: 'checkout',
      });
    });

    test('keeps events and links', () => {
      const { events, links } = find('everything') ?? {};
      expect(events).toBe(
        `[{"time_unix_nano":"1790000000123456790","name":"first","attributes":{${EVERY_TYPE}},"dropped_attributes_count":0},` +
          '{"time_unix_nano":"1790000000123456791","name":"without attributes","attributes":{},"dropped_attributes_count":0}]',
      );
      // This SDK does not send the trace state of a link.
      expect(links).toBe(
        `[{"trace_id":"${TRACE}","span_id":"${PARENT}","trace_state":"","flags":768,"attributes":{${EVERY_TYPE}},` +
          `"dropped_attributes_count":0},{"trace_id":"${'1'.repeat(32)}","span_id":"${'2'.repeat(16)}","trace_state":"",` +
          '"flags":256,"attributes":{},"dropped_attributes_count":0}]',
      );
    });

    test('keeps resources and scopes', () => {
      const { resource, scope } = find('everything') ?? {};
      expect(resource).toContain(
        '"service.name":"checkout","process.pid":9007199254740993,"process.uptime":1.0,"args":["python","main.py"],"on":true',
      );
      expect(JSON.parse(String(resource))).toMatchObject({
        schema_url: 'https://opentelemetry.io/schemas/1.30.0',
      });
      expect(JSON.parse(String(scope))).toEqual({
        name: 'checkout',
        version: '1.2.3',
        attributes: { team: 'red', size: 3 },
        dropped_attributes_count: 0,
        schema_url: 'https://example.com/schema',
      });
    });

    test('sends every kind and status, and reports what it has dropped', () => {
      const kinds = ['INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'].map((kind) =>
        find(`kind ${kind}`),
      );
      expect(kinds.map((row) => row?.['kind'])).toEqual([1, 2, 3, 4, 5]);
      expect(kinds.map((row) => row?.['status_code'])).toEqual([0, 1, 2, 0, 1]);
      expect(kinds.map((row) => row?.['parent_span_id'])).toEqual([
        null,
        ...kinds.slice(0, -1).map((row) => row?.['span_id']),
      ]);
      expect(find('losses')).toMatchObject({
        attributes: '{"d":4,"e":5}',
        dropped_attributes_count: 3,
        dropped_events_count: 2,
        dropped_links_count: 1,
      });
    });

    test('delivers all spans', () => {
      expect(stored.filter((row) => row['service_name'] === 'many')).toHaveLength(2_000);
      expect(stored).toHaveLength(2_007);
    });
  });
}
