export default { displayName: 'schema-cache', preset: '../../jest.preset.js' };
