export default { displayName: 'pipes', preset: '../../jest.preset.js' };
