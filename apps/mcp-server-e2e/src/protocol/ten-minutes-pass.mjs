/** Loaded into a server whose question nobody answers: its wait of ten minutes is over after a second. */
const { setTimeout } = globalThis;
const tenMinutesMs = 600_000;

globalThis.setTimeout = Object.assign(
  (callback, ms, ...args) => setTimeout(callback, ms === tenMinutesMs ? 1000 : ms, ...args),
  setTimeout,
);
