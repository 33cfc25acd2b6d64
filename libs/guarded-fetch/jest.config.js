export default { displayName: 'guarded-fetch', preset: '../../jest.preset.js' };
