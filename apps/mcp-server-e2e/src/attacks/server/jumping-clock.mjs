/**
 * Loaded before the server: from each SIGUSR2 on, its wall clock goes wrong by what the file `stage/clock` says,
 * in ms. The clock that timers and durations go by is the kernel's, which never jumps.
 */
import { readFileSync } from 'node:fs';

const RealDate = Date;
let offsetMs = 0;
const now = () => RealDate.now() + offsetMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, values, created) =>
    Reflect.construct(target, values.length === 0 ? [now()] : values, created),
  apply: () => new Date().toString(),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
});
process.on('SIGUSR2', () => (offsetMs = Number(readFileSync('stage/clock', 'utf8'))));
