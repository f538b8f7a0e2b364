/** The content of an object for its reader: the S3 server must not stall, but the reader may pause. */
import { Readable } from 'node:stream';
import { ApiError } from '../../../errors.ts';

/** @param source is destroyed with the result, and its errors are converted to ours */
export function toSteadyBody(source: Readable, maxSilenceMs: number): Readable {
  let silence: NodeJS.Timeout | undefined;
  const stopWaiting = () => {
    clearTimeout(silence);
    silence = undefined;
  };
  const body = new Readable({
    read() {
      silence ??= setTimeout(() => body.destroy(stoppedComing()), maxSilenceMs);
      source.resume();
    },
    destroy(error, done) {
      stopWaiting();
      source.destroy();
      done(error);
    },
  });
  source.on('data', (chunk: Buffer) => {
    stopWaiting();
    if (!body.push(chunk)) source.pause();
  });
  source.on('end', () => {
    stopWaiting();
    body.push(null);
  });
  source.on('error', (cause) => body.destroy(brokeOff(cause)));
  source.on('close', () => {
    if (!source.readableEnded) body.destroy(brokeOff(source.errored));
  });
  source.pause();
  return body;
}

const stoppedComing = () =>
  new ApiError('object_storage_error', 'The object storage stopped sending in the middle of an object.');

const brokeOff = (cause: unknown) =>
  new ApiError('object_storage_error', 'The object storage broke off in the middle of an object.', { cause });
