export default { displayName: 'files', preset: '../../jest.preset.js' };
