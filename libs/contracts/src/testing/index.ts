export { describeSandbox } from './describe-sandbox.js';
export { describeToolSource, type ToolSourceFixture } from './describe-tool-source.js';
export { type FakeProgram, fakeSandbox, type FakeSandboxOptions } from './fake-sandbox.js';
export { fakeToolSource, type RecordedCall } from './fake-tool-source.js';
export { freePort } from './free-port.js';
export { type HeldCall, type HeldSource, heldSource } from './held-source.js';
export { isolationsUnderTest } from './isolations-under-test.js';
export { type LogEntry, recordingLogger } from './recording-logger.js';
export type { SandboxPrograms } from './sandbox-programs.js';
