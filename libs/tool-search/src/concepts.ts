import { stemmer } from 'stemmer';

/**
 * One concept per line: words that mean about the same in a search for a tool. General English
 * and general computing only, never the words of one server; a word may stand on several lines, and two
 * words joined by `_` are a phrase.
 */
const concepts = `
find search lookup look_up look_for seek locate query discover hunt where grep
create add make new generate build insert write compose produce set_up
delete remove drop erase destroy discard clear purge get_rid eliminate trash wipe
get read fetch show view retrieve display obtain load see look_at inspect describe print
list enumerate all show browse available which overview every
update edit modify change alter set revise adjust patch replace rewrite amend
rename relabel move
send post publish submit share deliver push forward transmit
run execute start launch invoke trigger perform call kick_off
stop kill end terminate cancel abort halt quit shut_down
copy duplicate clone replicate fork
move relocate transfer drag migrate shift
open visit navigate go_to browse go
close shut dismiss
save store keep record persist remember memorize memorise
upload import attach
download export pull save
compare diff difference differ versus contrast
merge combine join unite consolidate
connect link attach relate associate relation relationship connection edge
disconnect unlink detach separate
install setup set_up deploy provision rollout
check verify validate ensure test confirm audit lint
fix repair correct resolve solve debug troubleshoot
explain describe summarize summarise detail clarify summary
approve accept confirm allow grant permit
reject decline deny refuse disallow forbid
assign delegate hand_over
schedule plan book reserve
wait pause sleep delay
click press tap hit
type enter input fill fill_in
select choose pick option
sort order arrange rank
convert transform translate format turn_into
calculate compute math arithmetic calculator
sum add addition plus total
count number total how_many amount quantity
watch monitor track observe follow subscribe
think reason reflect ponder reasoning thought
restart reboot reload refresh
undo revert rollback roll_back restore go_back back
enable activate turn_on switch_on
disable deactivate turn_off switch_off
login log_in sign_in signin authenticate authentication authorize auth
scale resize grow shrink size
split divide separate break_down
encrypt cipher encode
compress zip archive
draw sketch paint render
play listen
buy purchase order shop
pay payment charge checkout
file document
folder directory dir path
image picture photo graphic pic
screenshot screen_shot screen_capture snapshot capture image picture
page web_page webpage website web_site site url web link
internet online web
browser chrome firefox tab
tab window
message chat conversation dm text
email e_mail mail inbox
user person people member account who someone
customer client buyer
contact address_book
team group organization organisation company org
comment remark reply note annotation
note memo page
issue ticket bug problem defect
task todo to_do job
error exception failure fail crash problem wrong broken
log history journal trail output
history past previous timeline
project workspace
repository repo codebase
code source program script snippet
commit revision change changeset
pull_request pr merge_request
review feedback
release version tag
branch fork
cluster node machine server host
container pod docker
database db datastore table
table spreadsheet sheet grid
row record entry
column field property attribute
text content contents body string
title name heading label
label tag category
date time when day
calendar event meeting appointment
location place where position geolocation
map directions route navigation
weather forecast temperature
price cost fee money how_much
invoice bill receipt
video movie clip film
audio sound music song
docs documentation doc manual guide reference
library package module dependency
setting configuration config preference
environment env
permission access role right
password secret credential token key
memory knowledge remember fact
graph network diagram
chart plot graph
entity item object thing
kind type sort
status state health condition
information info detail data metadata about
tool function command
keyboard key
mouse cursor hover pointer
dialog popup pop_up prompt alert
notification alert notify reminder
question ask
answer respond response reply
star favorite favourite bookmark like
news article story
random arbitrary
children child nested inside within
parent ancestor
size length how_big
usage consumption utilization
latest recent newest last
first initial beginning
several multiple many bulk batch
rule policy
step stage phase
structure tree hierarchy layout
local disk
remote cloud
`;

const byWord = new Map<string, string[]>();
/** Phrases, by their first stem and then by their second. */
const byPhrase = new Map<string, Map<string, string[]>>();
for (const line of concepts.trim().split('\n')) {
  const words = line.split(' ');
  for (const word of words) {
    const [first = '', second] = word.split('_').map(stemmer);
    if (second === undefined) append(byWord, first, words[0]);
    else append(byPhrase.get(first) ?? newPhrase(first), second, words[0]);
  }
}

/** The concepts, by the first word of their line, that a stem stands for; none if it is not in the table. */
export function conceptsOf(stem: string): readonly string[] {
  return byWord.get(stem) ?? [];
}

/** What two stems stand for together; undefined if they are not a phrase. */
export function phraseConceptsOf(first: string, second: string): readonly string[] | undefined {
  return byPhrase.get(first)?.get(second);
}

function newPhrase(first: string): Map<string, string[]> {
  const phrases = new Map<string, string[]>();
  byPhrase.set(first, phrases);
  return phrases;
}

function append(concepts: Map<string, string[]>, key: string, concept = ''): void {
  concepts.set(key, [...(concepts.get(key) ?? []), concept]);
}
