export default { displayName: 'sandbox-channel', preset: '../../jest.preset.js' };
