export default { displayName: 'client-pool', preset: '../../jest.preset.js' };
