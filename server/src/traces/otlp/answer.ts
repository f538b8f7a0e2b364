/** The OTLP response to spans: an ExportTraceServiceResponse, which is empty when all spans were accepted. */

export interface Refused {
  readonly rejectedSpans: number;
  readonly errorMessage: string;
}

/** Encodes the response in the encoding of the request. */
export function encodeAnswer(contentType: string, { rejectedSpans, errorMessage }: Refused): Buffer {
  const isEmpty = rejectedSpans === 0 && errorMessage === '';
  if (/^application\/json\b/i.test(contentType.trim())) {
    // The JSON mapping of protobuf writes an int64 as a string.
    const partialSuccess = { rejectedSpans: String(rejectedSpans), errorMessage };
    return Buffer.from(`${JSON.stringify(isEmpty ? {} : { partialSuccess })}\n`);
  }
  if (isEmpty) return Buffer.alloc(0);
  const message = Buffer.from(errorMessage);
  const partialSuccess = Buffer.concat([
    rejectedSpans === 0 ? Buffer.alloc(0) : Buffer.from([1 << 3, ...varint(rejectedSpans)]),
    message.length === 0 ? message : Buffer.from([(2 << 3) | 2, ...varint(message.length)]),
    message,
  ]);
  return Buffer.concat([Buffer.from([(1 << 3) | 2, ...varint(partialSuccess.length)]), partialSuccess]);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let left = value;
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) | 128);
  return [...bytes, left];
}
