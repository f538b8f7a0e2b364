"""Sends spans with the OpenTelemetry SDK for Python: of every kind, with all that it can say.

The environment says where to, as for every program: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS.
"""

import math

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanLimits, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags, TraceState

START = 1_790_000_000_123_456_789

EVERY_TYPE = {
    "text": "Grüße, 世界 🌍",
    "empty text": "",
    "integer": 42,
    "zero": 0,
    "largest integer": 2**63 - 1,
    "smallest integer": -(2**63),
    "integer beyond a double": 2**53 + 1,
    "double": 0.1,
    "whole double": 1.0,
    "large double": 1e21,
    "largest double": 1.7976931348623157e308,
    "negative zero": -0.0,
    "not a number": math.nan,
    "infinite": [math.inf, -math.inf],
    "yes": True,
    "no": False,
    "bytes": bytes([0, 1, 127, 128, 255]),
    "no bytes": b"",
    "nothing": None,
    "texts": ["a", "", "ü"],
    "integers": [1, -2, 2**63 - 1],
    "doubles": [1.0, -2.25],
    "flags": [True, False],
    "empty": [],
    "mixed": ["a", 1, 2.5, None, True, b"\x07", ["inner", []], {"key": "value"}],
    "nested": {"list": [{"deep": {"deeper": [1, {"deepest": b"yes"}]}}], "empty map": {}, "int64": -(2**63)},
    "like ours": {"doubleValue": "NaN"},
}


class CountedIds(IdGenerator):
    """So that the test knows them."""

    def __init__(self):
        self.traces = 0
        self.spans = 0

    def generate_trace_id(self):
        self.traces += 1
        return self.traces

    def generate_span_id(self):
        self.spans += 1
        return self.spans


def context_of(trace_id, span_id, **more):
    return SpanContext(trace_id=trace_id, span_id=span_id, **more)


REMOTE = context_of(
    0x0AF7651916CD43DD8448EB211C80319C,
    0xB7AD6B7169203331,
    is_remote=True,
    trace_flags=TraceFlags(TraceFlags.SAMPLED),
    trace_state=TraceState([("rojo", "00f067aa0ba902b7"), ("congo", "t61rcWkgMzE")]),
)
LINKS = [
    Link(REMOTE, EVERY_TYPE),
    Link(context_of(int("1" * 32, 16), int("2" * 16, 16), is_remote=False)),
]


def send_everything(ids):
    resource = Resource(
        {
            "service.name": "checkout",
            "process.pid": 2**53 + 1,
            "process.uptime": 1.0,
            "args": ["python", "main.py"],
            "on": True,
        },
        "https://opentelemetry.io/schemas/1.30.0",
    )
    provider = TracerProvider(resource=resource, id_generator=ids)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    tracer = provider.get_tracer("checkout", "1.2.3", "https://example.com/schema", {"team": "red", "size": 3})
    parent = trace.set_span_in_context(trace.NonRecordingSpan(REMOTE))
    span = tracer.start_span("everything", parent, SpanKind.SERVER, EVERY_TYPE, LINKS, START)
    span.add_event("first", EVERY_TYPE, START + 1)
    span.add_event("without attributes", None, START + 2)
    span.set_status(Status(StatusCode.ERROR, "The card was refused."))
    span.end(START + 1_000_000_001)

    below = None
    for number, kind in enumerate(SpanKind):
        span = tracer.start_span(f"kind {kind.name}", below, kind, start_time=START + number)
        span.set_status(Status([StatusCode.UNSET, StatusCode.OK, StatusCode.ERROR][number % 3]))
        span.end(START + 1_000_000)
        below = trace.set_span_in_context(span)
    provider.shutdown()


def send_losses(ids):
    limits = SpanLimits(max_span_attributes=2, max_events=1, max_links=1)
    provider = TracerProvider(resource=Resource({}), id_generator=ids, span_limits=limits)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    attributes = {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}
    span = provider.get_tracer("losses").start_span("losses", None, SpanKind.INTERNAL, attributes, LINKS, START)
    for name in ["x", "y", "z"]:
        span.add_event(name, None, START)
    span.end(START)
    provider.shutdown()


def send_many(ids):
    provider = TracerProvider(resource=Resource({"service.name": "many"}), id_generator=ids)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(), max_queue_size=4_000))
    tracer = provider.get_tracer("many")
    with tracer.start_as_current_span("many"):
        for number in range(1_999):
            tracer.start_span(f"number {number}").end()
    provider.shutdown()


counted = CountedIds()
send_everything(counted)
send_losses(counted)
send_many(counted)
