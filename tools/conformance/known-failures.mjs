/** What fails in which run, and why. */
const noQuestions =
  'The pool does not pass questions of upstream servers on, and so does not declare elicitation.';
const noMachineGrants = 'Logins are made by a person: the pool has no grants for machines, and no DPoP.';

/** Of the suite's second version, which runs them beside what a revision requires. */
const extensions = {
  'auth/client-credentials-jwt': noMachineGrants,
  'auth/client-credentials-basic': noMachineGrants,
  'auth/enterprise-managed-authorization': noMachineGrants,
  'auth/dpop': noMachineGrants,
  'auth/dpop-nonce': noMachineGrants,
  'auth/wif-jwt-bearer': noMachineGrants,
};

export const knownFailures = {
  'client-2025': {
    'elicitation-sep1034-client-defaults': noQuestions,
    'auth/2025-03-26-oauth-metadata-backcompat':
      'Its metadata name another issuer than their address, which is refused.',
    'auth/client-credentials-jwt': noMachineGrants,
    'auth/client-credentials-basic': noMachineGrants,
    'auth/cross-app-access-complete-flow': noMachineGrants,
  },
  'client-2025-11-25': {
    'elicitation-sep1034-client-defaults': noQuestions,
    ...extensions,
  },
  'client-2026-07-28': {
    'sep-2322-client-request-state': noQuestions,
    ...extensions,
  },
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
