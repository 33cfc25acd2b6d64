export default { displayName: 'tool-pins', preset: '../../jest.preset.js' };
