export default { displayName: 'sandbox-deno', preset: '../../jest.preset.js' };
