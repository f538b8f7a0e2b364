import type { InWorkspace } from '@drydock/sdk';

/** The environment variables with which any OpenTelemetry SDK sends its spans to a workspace. */
export const toTraceCommand = ({ org, workspace }: InWorkspace): string =>
  [
    `export OTEL_EXPORTER_OTLP_ENDPOINT=${location.origin}/api/v1/org/${org}/otel`,
    'export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf',
    'export OTEL_EXPORTER_OTLP_HEADERS="x-api-key=$DRYDOCK_API_KEY"',
    `export OTEL_RESOURCE_ATTRIBUTES=drydock.workspace=${workspace}`,
  ].join('\n');
