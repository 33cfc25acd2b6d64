/** Which calls a person has to agree to, and what the person sees. */
const callSteps = 'libs/proxy/src/calls/call-steps.ts';
const given = 'libs/executor/src/asking/given-answers.ts';
const board = 'libs/executor/src/asking/question-board.ts';
const form = 'apps/mcp-server/src/mcp/questions/question-form.ts';

export const questions = {
  'a person is asked': {
    edits: [[callSteps, 'return why === undefined ? next(call)', 'return why ? next(call)']],
    attacks: ['ASK-01'],
  },
  'only the exact choices count': {
    edits: [
      [
        form,
        "default:\n        return { decision: 'cancelled' }",
        "default:\n        return { decision: 'once' }",
      ],
    ],
    attacks: ['ASK-01'],
  },
  'a denied call is denied again': {
    edits: [[given, 'this.#denied.has(identityOf(request))', 'false']],
    attacks: ['ASK-02'],
  },
  'calls that come before a person': {
    edits: [[board, 'maxAskedCalls = 256', 'maxAskedCalls = Infinity']],
    attacks: ['ASK-02', 'ASK-04'],
  },
  'hidden characters in questions': {
    edits: [[form, "printable(shorten(text, maxChars)).replace(unseen, '�')", 'shorten(text, maxChars)']],
    attacks: ['ASK-03'],
  },
  'long texts in questions': {
    edits: [[form, 'if (allChars <= maxChars)', 'if (allChars > 0)']],
    attacks: ['ASK-03'],
  },
};
