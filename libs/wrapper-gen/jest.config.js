export default { displayName: 'wrapper-gen', preset: '../../jest.preset.js' };
