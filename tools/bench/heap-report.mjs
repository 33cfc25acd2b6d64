/** Loaded into a server that is measured: on SIGUSR2 it collects garbage and says how many bytes its heap still holds. */
process.on('SIGUSR2', () => {
  // The second collection takes what the finalizers of the first have set free.
  globalThis.gc();
  globalThis.gc();
  process.stderr.write(`heap ${process.memoryUsage().heapUsed}\n`);
});
