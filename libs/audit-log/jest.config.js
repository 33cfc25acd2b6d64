export default { displayName: 'audit-log', preset: '../../jest.preset.js' };
