import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { noPermissions } from '@code-executor/contracts';
import { fakeToolSource, isolationsUnderTest } from '@code-executor/contracts/testing';

import { PyodideSandbox } from './pyodide-sandbox.js';
import { snapshotDir } from './snapshot-dir.test.support.js';

/** The text between its quotes as it is, without the first line break. */
const text = (parts: TemplateStringsArray) => String.raw(parts).replace(/^\n/, '');

/** Examples of the Python documentation: module, program, and what the documentation says that it prints. */
const examples: [module: string, program: string, stdout: string][] = [
  [
    'json',
    text`
import json
from io import StringIO
print(json.dumps(['foo', {'bar': ('baz', None, 1.0, 2)}]))
print(json.dumps("\"foo\bar"))
print(json.dumps('\u1234'))
print(json.dumps({"c": 0, "b": 0, "a": 0}, sort_keys=True))
io = StringIO()
json.dump(['streaming API'], io)
print(io.getvalue())
print(json.dumps([1, 2, 3, {'4': 5, '6': 7}], separators=(',', ':')))
print(json.dumps({'6': 7, '4': 5}, sort_keys=True, indent=4))
print(json.loads('["foo", {"bar":["baz", null, 1.0, 2]}]'))`,
    text`
["foo", {"bar": ["baz", null, 1.0, 2]}]
"\"foo\bar"
"\u1234"
{"a": 0, "b": 0, "c": 0}
["streaming API"]
[1,2,3,{"4":5,"6":7}]
{
    "4": 5,
    "6": 7
}
['foo', {'bar': ['baz', None, 1.0, 2]}]
`,
  ],
  [
    're',
    text`
import re
text = "He was carefully disguised but captured quickly by police."
for m in re.finditer(r"\w+ly\b", text):
    print('%02d-%02d: %s' % (m.start(), m.end(), m.group(0)))
print(re.split(r'\W+', 'Words, words, words.'))
print(re.findall(r'\bf[a-z]*', 'which foot or hand fell fastest'))
def dashrepl(matchobj):
    if matchobj.group(0) == '-': return ' '
    else: return '-'
print(re.sub('-{1,2}', dashrepl, 'pro----gram-files'))
print(re.match(r"(?P<first_name>\w+) (?P<last_name>\w+)", "Malcolm Reynolds").groupdict())`,
    text`
07-16: carefully
40-47: quickly
['Words', 'words', 'words', '']
['foot', 'fell', 'fastest']
pro--gram files
{'first_name': 'Malcolm', 'last_name': 'Reynolds'}
`,
  ],
  [
    'datetime',
    text`
from datetime import datetime, timedelta
print(repr(timedelta(days=50, seconds=27, microseconds=10, milliseconds=29000, minutes=5, hours=8, weeks=2)))
dt = datetime.strptime("21/11/06 16:30", "%d/%m/%y %H:%M")
print(repr(dt))
print(dt.strftime("%A, %d. %B %Y %I:%M%p"))
print('The {1} is {0:%d}, the {2} is {0:%B}, the {3} is {0:%I:%M%p}.'.format(dt, "day", "month", "time"))`,
    text`
datetime.timedelta(days=64, seconds=29156, microseconds=10)
datetime.datetime(2006, 11, 21, 16, 30)
Tuesday, 21. November 2006 04:30PM
The day is 21, the month is November, the time is 04:30PM.
`,
  ],
  [
    'collections',
    text`
from collections import ChainMap, Counter, defaultdict, namedtuple
cnt = Counter()
for word in ['red', 'blue', 'red', 'green', 'blue', 'blue']:
    cnt[word] += 1
print(cnt)
print(Counter('abracadabra').most_common(3))
d = defaultdict(list)
for k, v in [('yellow', 1), ('blue', 2), ('yellow', 3), ('blue', 4), ('red', 1)]:
    d[k].append(v)
print(sorted(d.items()))
Point = namedtuple('Point', ['x', 'y'])
print(Point(11, y=22))
baseline = {'music': 'bach', 'art': 'rembrandt'}
adjustments = {'art': 'van gogh', 'opera': 'carmen'}
print(list(ChainMap(adjustments, baseline)))`,
    text`
Counter({'blue': 3, 'red': 2, 'green': 1})
[('a', 5), ('b', 2), ('r', 2)]
[('blue', [2, 4]), ('red', [1]), ('yellow', [1, 3])]
Point(x=11, y=22)
['music', 'art', 'opera']
`,
  ],
  [
    'itertools',
    text`
from itertools import *
print(*accumulate([1, 2, 3, 4, 5]))
for found in [batched('ABCDEFG', n=3), combinations('ABCD', 2), pairwise('ABCDEFG'), product('ABCD', 'xy'),
              zip_longest('ABCD', 'xy', fillvalue='-'), (k for k, g in groupby('AAAABBBCCDAABBB'))]:
    print(*map(''.join, found))`,
    text`
1 3 6 10 15
ABC DEF G
AB AC AD BC BD CD
AB BC CD DE EF FG
Ax Ay Bx By Cx Cy Dx Dy
Ax By C- D-
A B C D A B
`,
  ],
  [
    'csv with io',
    text`
import csv, io
file = io.StringIO(newline='')
spamwriter = csv.writer(file, delimiter=' ', quotechar='|', quoting=csv.QUOTE_MINIMAL)
spamwriter.writerow(['Spam'] * 5 + ['Baked Beans'])
spamwriter.writerow(['Spam', 'Lovely Spam', 'Wonderful Spam'])
file.seek(0)
for row in csv.reader(file, delimiter=' ', quotechar='|'):
    print(', '.join(row))
with open('names.csv', 'w', newline='') as csvfile:
    writer = csv.DictWriter(csvfile, fieldnames=['first_name', 'last_name'])
    writer.writeheader()
    writer.writerow({'first_name': 'Eric', 'last_name': 'Idle'})
    writer.writerow({'first_name': 'John', 'last_name': 'Cleese'})
with open('names.csv', newline='') as csvfile:
    for row in csv.DictReader(csvfile):
        print(row['first_name'], row['last_name'])`,
    text`
Spam, Spam, Spam, Spam, Spam, Baked Beans
Spam, Lovely Spam, Wonderful Spam
Eric Idle
John Cleese
`,
  ],
  [
    'sqlite3',
    text`
import sqlite3
con = sqlite3.connect("tutorial.db")
cur = con.cursor()
cur.execute("CREATE TABLE movie(title, year, score)")
print(cur.execute("SELECT name FROM sqlite_master").fetchone())
data = [
    ("Monty Python and the Holy Grail", 1975, 8.2),
    ("And Now for Something Completely Different", 1971, 7.5),
    ("Monty Python Live at the Hollywood Bowl", 1982, 7.9),
    ("Monty Python's The Meaning of Life", 1983, 7.5),
    ("Monty Python's Life of Brian", 1979, 8.0),
]
cur.executemany("INSERT INTO movie VALUES(?, ?, ?)", data)
con.commit()
for row in cur.execute("SELECT year, title FROM movie ORDER BY year"):
    print(row)
con.close()
new_con = sqlite3.connect("tutorial.db")
title, year = new_con.cursor().execute("SELECT title, year FROM movie ORDER BY score DESC").fetchone()
print(f'The highest scoring Monty Python movie is {title!r}, released in {year}')
new_con.close()`,
    text`
('movie',)
(1971, 'And Now for Something Completely Different')
(1975, 'Monty Python and the Holy Grail')
(1979, "Monty Python's Life of Brian")
(1982, 'Monty Python Live at the Hollywood Bowl')
(1983, "Monty Python's The Meaning of Life")
The highest scoring Monty Python movie is 'Monty Python and the Holy Grail', released in 1975
`,
  ],
  [
    'statistics',
    text`
from statistics import *
print(mean([1, 2, 3, 4, 4]), median([1, 3, 5, 7]))
print(mode(["red", "blue", "blue", "red", "green", "red", "red"]))
print(stdev([1.5, 2.5, 2.5, 2.75, 3.25, 4.75]))
sat = NormalDist(1060, 195)
print(round((sat.cdf(1200 + 0.5) - sat.cdf(1100 - 0.5)) * 100.0, 1))
print(list(map(round, sat.quantiles())))
slope, intercept = linear_regression([1971, 1975, 1979, 1982, 1983], [1, 2, 3, 4, 5])
print(round(slope * 2019 + intercept))`,
    text`
2.8 4.0
red
1.0810874155219827
18.4
[928, 1060, 1192]
16
`,
  ],
  [
    'asyncio',
    // The documentation sleeps for a second each time.
    text`
import asyncio

async def factorial(name, number):
    f = 1
    for i in range(2, number + 1):
        print(f"Task {name}: Compute factorial({number}), currently i={i}...")
        await asyncio.sleep(0.01)
        f *= i
    print(f"Task {name}: factorial({number}) = {f}")
    return f

async def main():
    # Schedule three calls *concurrently*:
    L = await asyncio.gather(
        factorial("A", 2),
        factorial("B", 3),
        factorial("C", 4),
    )
    print(L)

asyncio.run(main())`,
    text`
Task A: Compute factorial(2), currently i=2...
Task B: Compute factorial(3), currently i=2...
Task C: Compute factorial(4), currently i=2...
Task A: factorial(2) = 2
Task B: Compute factorial(3), currently i=3...
Task C: Compute factorial(4), currently i=3...
Task B: factorial(3) = 6
Task C: Compute factorial(4), currently i=4...
Task C: factorial(4) = 24
[2, 6, 24]
`,
  ],
  [
    'dataclasses',
    text`
from dataclasses import asdict, astuple, dataclass, field, replace

@dataclass
class Point:
    x: int
    y: int

@dataclass
class C:
    mylist: list[Point] = field(default_factory=list)

c = C([Point(0, 0), Point(10, 4)])
print(asdict(Point(10, 20)), asdict(c))
print(astuple(Point(10, 20)), astuple(c))
print(C(), replace(Point(1, 2), y=3), Point(1, 2) == Point(1, 2))`,
    text`
{'x': 10, 'y': 20} {'mylist': [{'x': 0, 'y': 0}, {'x': 10, 'y': 4}]}
(10, 20) ([(0, 0), (10, 4)],)
C(mylist=[]) Point(x=1, y=3) True
`,
  ],
  [
    'decimal',
    text`
from decimal import *
print(Decimal(3.14))
getcontext().prec = 6
print(repr(Decimal(1) / Decimal(7)))
getcontext().prec = 28
print(repr(Decimal(1) / Decimal(7)))
data = list(map(Decimal, '1.34 1.87 3.45 2.35 1.00 0.03 9.25'.split()))
print(max(data), min(data), sum(data))
a, b, c = data[:3]
print(a * 5, a * b, c % a, round(a, 1))
print(Decimal('7.325').quantize(Decimal('.01'), rounding=ROUND_DOWN))`,
    text`
3.140000000000000124344978758017532527446746826171875
Decimal('0.142857')
Decimal('0.1428571428571428571428571429')
9.25 0.03 19.29
6.70 2.5058 0.77 1.3
7.32
`,
  ],
  [
    'zoneinfo',
    text`
from zoneinfo import ZoneInfo
from datetime import datetime, timedelta, timezone
LOS_ANGELES = ZoneInfo("America/Los_Angeles")
dt = datetime(2020, 10, 31, 12, tzinfo=LOS_ANGELES)
print(dt, dt.tzname())
dt_add = dt + timedelta(days=1)
print(dt_add, dt_add.tzname())
dt = datetime(2020, 11, 1, 1, tzinfo=LOS_ANGELES)
print(dt)
print(dt.replace(fold=1))
dt_utc = datetime(2020, 11, 1, 8, tzinfo=timezone.utc)
print(dt_utc.astimezone(LOS_ANGELES), (dt_utc + timedelta(hours=1)).astimezone(LOS_ANGELES))`,
    text`
2020-10-31 12:00:00-07:00 PDT
2020-11-01 12:00:00-08:00 PST
2020-11-01 01:00:00-07:00
2020-11-01 01:00:00-08:00
2020-11-01 01:00:00-07:00 2020-11-01 01:00:00-08:00
`,
  ],
  [
    'hashlib',
    text`
import hashlib
m = hashlib.sha256()
m.update(b"Nobody inspects")
m.update(b" the spammish repetition")
print(m.hexdigest(), m.digest_size, m.block_size)
h = hashlib.new('sha256')
h.update(b"Nobody inspects the spammish repetition")
print(h.hexdigest() == m.hexdigest())
print(hashlib.sha224(b"Nobody inspects the spammish repetition").hexdigest())
h = hashlib.blake2b(digest_size=20)
h.update(b'Replacing SHA1 with the more secure function')
print(h.hexdigest())
print(hashlib.pbkdf2_hmac('sha256', b'password', b'bad salt' * 2, 500_000).hex())`,
    text`
031edd7d41651593c5fe5c006fa5752b37fddff7bc4e843aa6af0c950f4b9406 32 64
True
a4337bc45a8fc544c03f52dc550cd6e1e87021bc896588bd79e901e2
d24f26cf8de66472d58d4e1b1774b4c9158b1f4c
15530bba69924174860db778f2c6f8104d3aaf9d26241840c8c4a641c8d000a9
`,
  ],
  [
    'difflib',
    text`
import sys
from difflib import *
print(get_close_matches('appel', ['ape', 'apple', 'peach', 'puppy']))
diff = ndiff('one\ntwo\nthree\n'.splitlines(keepends=True), 'ore\ntree\nemu\n'.splitlines(keepends=True))
print(''.join(diff), end="")
s1 = ['bacon\n', 'eggs\n', 'ham\n', 'guido\n']
s2 = ['python\n', 'eggy\n', 'hamster\n', 'guido\n']
sys.stdout.writelines(unified_diff(s1, s2, fromfile='before.py', tofile='after.py'))`,
    text`
['apple', 'ape']
- one
?  ^
+ ore
?  ^
- two
- three
?  -
+ tree
+ emu
--- before.py
+++ after.py
@@ -1,4 +1,4 @@
-bacon
-eggs
-ham
+python
+eggy
+hamster
 guido
`,
  ],
  [
    'textwrap',
    text`
from textwrap import *
# end first line with \ to avoid the empty line!
s = '''\
    hello
      world
    '''
print(repr(s))
print(repr(dedent(s)))
print(shorten("Hello  world!", width=12))
print(shorten("Hello  world!", width=11))
print(shorten("Hello world", width=10, placeholder="..."))
print(repr(indent('hello\n\n \nworld', '  ')))
print(indent('hello\n\n \nworld', '+ ', lambda line: True))`,
    `'    hello\\n      world\\n    '
'hello\\n  world\\n'
Hello world!
Hello [...]
Hello...
'  hello\\n\\n \\n  world'
+ hello
+${' '}
+  ${''}
+ world
`,
  ],
  [
    'heapq',
    text`
from heapq import *

def heapsort(iterable):
    h = []
    for value in iterable:
        heappush(h, value)
    return [heappop(h) for i in range(len(h))]

print(heapsort([1, 3, 5, 7, 9, 2, 4, 6, 8, 0]))
h = []
heappush(h, (5, 'write code'))
heappush(h, (7, 'release product'))
heappush(h, (1, 'write spec'))
heappush(h, (3, 'create tests'))
print(heappop(h))
array = ['dog', 'horse', 'cat', 'kangaroo']
print(list(merge(['dog', 'horse'], ['cat', 'fish', 'kangaroo'], key=len)))`,
    text`
[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
(1, 'write spec')
['dog', 'cat', 'fish', 'horse', 'kangaroo']
`,
  ],
  [
    'fractions',
    text`
from fractions import Fraction
from math import cos, floor, pi
print([Fraction(16, -10), Fraction(123), Fraction(), Fraction(' -3/7 '), Fraction('7e-6'), Fraction(1.1)])
print(repr(Fraction('3.1415926535897932').limit_denominator(1000)))
print(repr(Fraction(cos(pi/3))), repr(Fraction(cos(pi/3)).limit_denominator()))
print(floor(Fraction(355, 113)), format(Fraction(1, 7), '.40g'), f"{Fraction(355, 113):*>20.6e}")
print("{:.2%} price increase".format(Fraction(672, 499) - 1))`,
    text`
[Fraction(-8, 5), Fraction(123, 1), Fraction(0, 1), Fraction(-3, 7), Fraction(7, 1000000), Fraction(2476979795053773, 2251799813685248)]
Fraction(355, 113)
Fraction(4503599627370497, 9007199254740992) Fraction(1, 2)
3 0.1428571428571428571428571428571428571429 ********3.141593e+00
34.67% price increase
`,
  ],
  [
    'string.Template',
    // The placeholders are the documentation's, and none of TypeScript's.
    text`
from string import Template
s = Template('$who likes $what')
print(s.substitute(who='tim', what='kung pao'))
d = dict(who='tim')
for template in 'Give $who $100', '$who likes $what':
    try:
        Template(template).substitute(d)
    except (ValueError, KeyError) as error:
        print(f'{type(error).__name__}: {error}')
print(Template('$who likes $what').safe_substitute(d))`,
    text`
tim likes kung pao
ValueError: Invalid placeholder in string: line 1, col 11
KeyError: 'what'
tim likes $what
`,
  ],
  [
    'functools',
    text`
from functools import *

@lru_cache(maxsize=None)
def fib(n):
    if n < 2:
        return n
    return fib(n-1) + fib(n-2)

print([fib(n) for n in range(16)])
print(fib.cache_info())
print(partial(int, base=2)('10010'))
print(reduce(lambda x, y: x + y, [1, 2, 3, 4, 5]))

@singledispatch
def fun(arg, verbose=False):
    if verbose:
        print("Let me just say,", end=" ")
    print(arg)

@fun.register
def _(arg: int, verbose=False):
    if verbose:
        print("Strength in numbers, eh?", end=" ")
    print(arg)

fun("Hello, world.")
fun("test.", verbose=True)
fun(42, verbose=True)`,
    text`
[0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610]
CacheInfo(hits=28, misses=16, maxsize=None, currsize=16)
18
15
Hello, world.
Let me just say, test.
Strength in numbers, eh? 42
`,
  ],
];
