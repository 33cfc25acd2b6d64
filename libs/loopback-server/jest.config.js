export default { displayName: 'loopback-server', preset: '../../jest.preset.js' };
