export default { displayName: 'tool-search', preset: '../../jest.preset.js' };
