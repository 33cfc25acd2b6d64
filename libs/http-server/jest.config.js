export default { displayName: 'http-server', preset: '../../jest.preset.js' };
