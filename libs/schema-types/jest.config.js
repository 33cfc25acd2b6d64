export default { displayName: 'schema-types', preset: '../../jest.preset.js' };
