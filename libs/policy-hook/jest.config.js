export default { displayName: 'policy-hook', preset: '../../jest.preset.js' };
