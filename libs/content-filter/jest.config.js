export default { displayName: 'content-filter', preset: '../../jest.preset.js' };
