/** Reads one line from a stream and leaves the following bytes in it. */
import type { Readable } from 'node:stream';

const LINE_FEED = 0x0a;

/** @returns undefined if the stream ends before the line does, or the line is too long */
export function readLine(stream: Readable, maxBytes: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = (line: string | undefined) => {
      stream.off('readable', take).off('end', giveUp).off('close', giveUp).off('error', giveUp);
      resolve(line);
    };
    const giveUp = () => finish(undefined);
    const take = () => {
      for (;;) {
        const chunk = stream.read() as Buffer | null;
        if (chunk === null) return;
        const end = chunk.indexOf(LINE_FEED);
        chunks.push(end < 0 ? chunk : chunk.subarray(0, end));
        bytes += chunk.length;
        if (end < 0 && bytes <= maxBytes) continue;
        if (end >= 0 && end + 1 < chunk.length) stream.unshift(chunk.subarray(end + 1));
        finish(end < 0 ? undefined : Buffer.concat(chunks).toString());
        return;
      }
    };
    stream.on('readable', take).on('end', giveUp).on('close', giveUp).on('error', giveUp);
    take();
    // A stream that is already over emits no more events.
    if (stream.readableEnded || stream.destroyed || stream.closed) giveUp();
  });
}
