export default { displayName: 'sandbox-pyodide', preset: '../../jest.preset.js' };
