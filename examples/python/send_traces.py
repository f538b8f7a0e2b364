"""Sends a trace of an agent with OpenTelemetry, and reads it back."""

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from platform_api import KEY, URL, WORKSPACE, call

exporter = OTLPSpanExporter(endpoint=f"{URL}/api/v1/org/main/otel/v1/traces", headers={"x-api-key": KEY})
provider = TracerProvider(resource=Resource.create({"service.name": "weather", "drydock.workspace": "main"}))
provider.add_span_processor(BatchSpanProcessor(exporter))
tracer = provider.get_tracer("weather")

with tracer.start_as_current_span("invoke_agent weather") as agent:
    agent.set_attributes({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "weather"})
    with tracer.start_as_current_span("execute_tool forecast") as tool:
        tool.set_attributes({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "forecast"})
provider.shutdown()  # sends what is still waiting

trace_id = format(agent.get_span_context().trace_id, "032x")
for span in call("GET", f"{WORKSPACE}/traces/{trace_id}/spans")["items"]:
    print(span["span_type"], span["name"])
# → agent invoke_agent weather
# → tool execute_tool forecast
