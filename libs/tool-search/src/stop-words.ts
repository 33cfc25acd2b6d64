const words = `
a an the this that these those it its itself there here
i me my mine myself we us our ours you your yours yourself he him his she her hers they them their theirs
am is are was were be been being do does did done doing have has had having
can could will would shall should may might must ought cannot
and or but nor so if then else than as of at by for with about against between into through during before
after above below to from up down in out on off over under again further once onto upon via per
what which who whom whose when where why how
not no yes any some each both few more most other another such only own same too very just also every
please help want need needs like let lets know tell give using use used uses try trying able something
anything someone somebody somewhere thing things way
s t d ll re ve m don isn doesn didn aren wasn won shouldn couldn wouldn
e g eg ie etc
`;

const stopWords = new Set(words.trim().split(/\s+/));

/** Whether a word (in lower case) says nothing about what is searched: an article, a pronoun or a question word. */
export function isStopWord(word: string): boolean {
  return stopWords.has(word);
}
