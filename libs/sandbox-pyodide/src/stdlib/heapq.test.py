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
print(list(merge(['dog', 'horse'], ['cat', 'fish', 'kangaroo'], key=len)))

# Expected output:
#
#     [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
#     (1, 'write spec')
#     ['dog', 'cat', 'fish', 'horse', 'kangaroo']
