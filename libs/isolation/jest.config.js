export default { displayName: 'isolation', preset: '../../jest.preset.js' };
