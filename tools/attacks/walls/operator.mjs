/** What the operator has approved, and the operator's own program that decides about calls. */
export const operator = {
  'changed tools are blocked': {
    edits: [['libs/tool-pins/src/pinned-tools.ts', "this.#policy !== 'enforce'", 'true']],
    attacks: ['PIN-01'],
  },
  'a call without a verdict is refused': {
    edits: [
      [
        'libs/proxy/src/asking/pass-hook.ts',
        "throw refusal('unavailable', problem, call, cause)",
        "return { decision: 'allow' }",
      ],
    ],
    attacks: ['HOK-01'],
  },
  'time of a hook': {
    edits: [
      [
        'libs/policy-hook/src/ask-command.ts',
        'setTimeout(() => reject(tooSlow(timeoutMs)), timeoutMs)',
        'setTimeout(() => reject(tooSlow(timeoutMs)), timeoutMs * 1000)',
      ],
    ],
    attacks: ['HOK-01'],
  },
};
