/** What fails in which run, and why. */
export const knownFailures = {
  'fixture-2025': {
    'server-sse-polling':
      'The suite calls as a client of 2025-03-26, which an event without data would break, and warns that it got none.',
  },
};
