/** Loaded into the server under test before all else: it collects garbage when it is told to, and says when it has. */
process.on('message', () => {
  if (!globalThis.gc) throw new Error('start it with --expose-gc');
  globalThis.gc();
  process.send?.('collected');
});
// Else listening would keep the process from ending.
process.channel?.unref();
