export { describeSandbox } from './describe-sandbox.js';
export { describeToolSource, type ToolSourceFixture } from './describe-tool-source.js';
export { fakeToolSource, type RecordedCall } from './fake-tool-source.js';
export { freePort } from './free-port.js';
export { isolationsUnderTest } from './isolations-under-test.js';
export type { SandboxPrograms } from './sandbox-programs.js';
