export { BatchWriter } from './batch-writer.js';
export { JsonMeter, maxJsonDepth, meterJson } from './json-meter.js';
export { type CutMessage, MessageBuffer, type SharedMemory } from './message-buffer.js';
export { readInTurns } from './read-in-turns.js';
export { writeTogether } from './write-together.js';
