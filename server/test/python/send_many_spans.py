"""Sends spans with the OpenTelemetry SDK for Python until its standard input ends, and prints how many.

The environment says where to: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS.
"""

import sys
import threading
import time

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

provider = TracerProvider()
# A queue that holds everything: what is lost is lost on the way.
provider.add_span_processor(
    BatchSpanProcessor(OTLPSpanExporter(), max_queue_size=1_000_000, schedule_delay_millis=50)
)
tracer = provider.get_tracer("many")
ended = threading.Event()


def wait_for_end() -> None:
    sys.stdin.read()
    ended.set()


threading.Thread(target=wait_for_end, daemon=True).start()
count = 0
while not ended.is_set():
    with tracer.start_as_current_span("many"):
        count += 1
    time.sleep(0.002)
provider.shutdown()
print(count)
