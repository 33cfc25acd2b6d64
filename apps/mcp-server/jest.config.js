export default {
  displayName: 'mcp-server',
  preset: '../../jest.preset.js',
  // A server that a failed test left behind would keep Jest from ending, and so from telling which test failed.
  forceExit: true,
};
