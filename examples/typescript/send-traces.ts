/** Sends a trace of an agent with OpenTelemetry, and reads it back. */

import { Drydock } from '@drydock/sdk';
import { ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { WHERE } from './publish.ts';

const exporter = new OTLPTraceExporter({
  url: `${process.env['DRYDOCK_URL']}/api/v1/org/main/otel/v1/traces`,
  headers: { 'x-api-key': process.env['DRYDOCK_API_KEY'] ?? '' },
});
const provider = new TracerProvider({
  resource: resourceFromAttributes({ 'service.name': 'weather', 'drydock.workspace': 'main' }),
  spanProcessors: [new BatchSpanProcessor({ exporter })],
});
const tracer = provider.getTracer('weather');

const agent = tracer.startSpan('invoke_agent weather');
agent.setAttributes({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'weather' });
const tool = tracer.startSpan('execute_tool forecast', {}, trace.setSpan(ROOT_CONTEXT, agent));
tool.setAttributes({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'forecast' });
tool.end();
agent.end();
await provider.shutdown(); // sends what is still waiting

const where = { ...WHERE, trace_id: agent.spanContext().traceId };
const spans = await Array.fromAsync(new Drydock().traces.listSpans(where));
printChildren(null, '');
// → agent invoke_agent weather
// →   tool execute_tool forecast

function printChildren(parent: string | null, indent: string) {
  for (const { name, parent_span_id, span_id, span_type } of spans)
    if (parent_span_id === parent) {
      console.log(`${indent}${span_type} ${name}`);
      printChildren(span_id, `${indent}  `);
    }
}
