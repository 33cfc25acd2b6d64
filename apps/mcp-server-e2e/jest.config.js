export default {
  displayName: 'mcp-server-e2e',
  preset: '../../jest.preset.js',
  // The attacks take as long as everything else together: `npm run attacks` makes them.
  testPathIgnorePatterns: ['/node_modules/', '-attacks\\.test\\.ts$'],
  // A server that a failed test left behind would keep Jest from ending, and so from telling which test failed.
  forceExit: true,
};
