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
fun(42, verbose=True)

# Expected output:
#
#     [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610]
#     CacheInfo(hits=28, misses=16, maxsize=None, currsize=16)
#     18
#     15
#     Hello, world.
#     Let me just say, test.
#     Strength in numbers, eh? 42
