export default { displayName: 'deno-runtime', preset: '../../jest.preset.js' };
