/** Loaded into the server under test before everything else: it collects garbage on a message, and sends a message back. */
process.on('message', () => {
  if (!globalThis.gc) throw new Error('start it with --expose-gc');
  globalThis.gc();
  process.send?.('collected');
});
// Otherwise the listener would keep the process from ending.
process.channel?.unref();
