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
print(list(ChainMap(adjustments, baseline)))

# Expected output:
#
#     Counter({'blue': 3, 'red': 2, 'green': 1})
#     [('a', 5), ('b', 2), ('r', 2)]
#     [('blue', [2, 4]), ('red', [1]), ('yellow', [1, 3])]
#     Point(x=11, y=22)
#     ['music', 'art', 'opera']
