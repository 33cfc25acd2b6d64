/**
 * Loaded before the server: each SIGUSR2 shifts its wall clock by the number of ms in the file `stage/clock`. The
 * monotonic clock of timers and durations is the kernel's, and never jumps.
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
