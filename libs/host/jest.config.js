export default { displayName: 'host', preset: '../../jest.preset.js' };
