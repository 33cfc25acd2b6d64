export default { displayName: 'executor', preset: '../../jest.preset.js' };
