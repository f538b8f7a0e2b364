/** The OTLP response to spans: an ExportTraceServiceResponse, which is empty when all spans were accepted. */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

export interface Refused {
  readonly rejectedSpans: number;
  readonly errorMessage: string;
}

/** Encodes the response in the encoding of the request. */
export function encodeResponse(contentType: string, { rejectedSpans, errorMessage }: Refused): Buffer {
  const isEmpty = rejectedSpans === 0 && errorMessage === '';
  if (/^application\/json\b/i.test(contentType.trim())) {
    // The JSON mapping of protobuf writes an int64 as a string.
    const partialSuccess = { rejectedSpans: String(rejectedSpans), errorMessage };
    return Buffer.from(`${JSON.stringify(isEmpty ? {} : { partialSuccess })}\n`);
  }
  const writer = new BinaryWriter();
  if (isEmpty) return Buffer.from(writer.finish());
  writer.tag(1, WireType.LengthDelimited).fork();
  if (rejectedSpans > 0) writer.tag(1, WireType.Varint).int64(rejectedSpans);
  if (errorMessage !== '') writer.tag(2, WireType.LengthDelimited).string(errorMessage);
  return Buffer.from(writer.join().finish());
}
