/** The languages that tools are described in. */
export type ToolLanguage = 'typescript' | 'python';
