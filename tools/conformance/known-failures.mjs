/** What fails in which run, and why. */
export const knownFailures = {
  'fixture-2025': {
    'server-sse-polling':
      'The suite calls as a client of 2025-03-26, which an event without data would break, and warns that it got none.',
  },
  tasks: {
    'tasks-required-task-error': 'No tool of ours needs tasks: a client without them gets the result itself.',
    'tasks-mrtr-composition': 'It calls a tool that needs tasks, as above.',
    'tasks-request-headers:tasks-headers-tolerate-mcp-method-on-tools-call':
      'It wants the bare text of an answer, and the text of ours is the structured content as JSON.',
  },
};
