export default { displayName: 'mcp-server', preset: '../../jest.preset.js' };
