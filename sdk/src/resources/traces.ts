/** Traces: spans as sent by OpenTelemetry, read back trace by trace. */
import type {
  ExportTraceAnswer,
  ExportTraceRequest,
  Span,
  SpanPage,
  TraceListResponse,
  TraceStats,
  TraceSummary,
} from '../models.gen.ts';
import type { QueryOf } from '../operation-types.ts';
import type { List } from '../pages.ts';
import { type InOrganization, type InWorkspace, type OneSpan, type OneTrace, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * const hex = (digits: number) => crypto.randomUUID().replaceAll('-', '').slice(0, digits);
 * const nano = (milliseconds: number) => `${milliseconds}000000`;
 * const [trace_id, root, now] = [hex(32), hex(16), Date.now()];
 * const spans = [
 *   { traceId: trace_id, spanId: root, name: 'answer', startTimeUnixNano: nano(now), endTimeUnixNano: nano(now + 40) },
 *   {
 *     traceId: trace_id,
 *     spanId: hex(16),
 *     parentSpanId: root,
 *     name: 'chat acme/large',
 *     startTimeUnixNano: nano(now + 5),
 *     endTimeUnixNano: nano(now + 35),
 *     attributes: [
 *       { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
 *       { key: 'gen_ai.request.model', value: { stringValue: 'acme/large' } },
 *       { key: 'gen_ai.usage.input_tokens', value: { intValue: '420' } },
 *     ],
 *   },
 * ];
 * // What an exporter of OpenTelemetry does by itself.
 * const answer = await drydock.traces.push({ org: 'main' }, { resourceSpans: [{ scopeSpans: [{ spans }] }] });
 * console.log(answer.partialSuccess?.rejectedSpans ?? 0); // → 0
 *
 * const where = { org: 'main', workspace: 'main', trace_id };
 * const { name, span_count, models } = await drydock.traces.get(where);
 * console.log(name, span_count, models); // → answer 2 [ 'acme/large' ]
 *
 * // Page after page, however long it is; `parent: 'root'`, or a span's id, gives it as a tree.
 * for await (const span of drydock.traces.listSpans(where, { parent: root })) {
 *   console.log(span.span_type, span.duration_ms); // → llm 30
 * }
 * ```
 */
export class Traces extends Resource {
  /**
   * Stores each span once, however often it is sent. The resource attributes `drydock.workspace` and `drydock.project` (ids or keys) say
   * where the spans belong.
   */
  push(
    where: InOrganization,
    request: ExportTraceRequest,
    options?: CallOptions,
  ): Promise<ExportTraceAnswer> {
    return this.client.call('pushTraces', { path: where, body: request }, options);
  }

  /** Lists traces, newest first, with the parts that you may see. */
  list(where: InWorkspace, filters?: QueryOf<'listTraces'>, options?: CallOptions): List<TraceListResponse> {
    return this.client.list('listTraces', { path: where, ...(filters && { query: filters }) }, options);
  }

  /** Returns the summary of a trace. */
  get(where: OneTrace, options?: CallOptions): Promise<TraceSummary> {
    return this.client.call('getTrace', { path: where }, options);
  }

  /**
   * Lists spans by their start; with `parent` those below a span, or at the root. The server sends integers with all their digits, and
   * `JSON.parse` rounds those beyond 2^53.
   */
  listSpans(where: OneTrace, filters?: QueryOf<'listSpans'>, options?: CallOptions): List<SpanPage> {
    const input = { path: where, ...(filters && { query: filters }) };
    return this.client.list('listSpans', input, options, 'after');
  }

  /** Returns one span. */
  getSpan(where: OneSpan, options?: CallOptions): Promise<Span> {
    return this.client.call('getSpan', { path: where }, options);
  }

  /** Returns durations, errors, tokens and cost, by type of span and by model. */
  stats(where: OneTrace, options?: CallOptions): Promise<TraceStats> {
    return this.client.call('getTraceStats', { path: where }, options);
  }
}
