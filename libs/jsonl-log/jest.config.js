export default { displayName: 'jsonl-log', preset: '../../jest.preset.js' };
