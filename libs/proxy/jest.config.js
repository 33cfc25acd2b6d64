export default { displayName: 'proxy', preset: '../../jest.preset.js' };
