/** Shared Jest settings. Tests run as native ES modules; ts-jest only strips types, `nx typecheck` checks them. */
export default {
  testEnvironment: 'node',
  // Import sibling libraries from their sources, never from a stale `dist`.
  testEnvironmentOptions: { customExportConditions: ['@code-executor/source', 'node', 'node-addons'] },
  testMatch: ['<rootDir>/src/**/*.test.ts'],
  // Resolves `./file.js` to `./file.ts`.
  resolver: '@nx/jest/plugins/resolver',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['ts-jest', { useESM: true, tsconfig: '<rootDir>/tsconfig.json' }] },
  // Sandboxes and upstream servers are real processes, and a busy two-core machine is slow: this only ends what hangs.
  testTimeout: 240_000,
  // Files wait for processes more than they compute: one fewer than there are cores leaves half of two idle.
  maxWorkers: '100%',
  coverageProvider: 'v8',
};
