from itertools import *
print(*accumulate([1, 2, 3, 4, 5]))
for found in [batched('ABCDEFG', n=3), combinations('ABCD', 2), pairwise('ABCDEFG'), product('ABCD', 'xy'),
              zip_longest('ABCD', 'xy', fillvalue='-'), (k for k, g in groupby('AAAABBBCCDAABBB'))]:
    print(*map(''.join, found))

# Expected output:
#
#     1 3 6 10 15
#     ABC DEF G
#     AB AC AD BC BD CD
#     AB BC CD DE EF FG
#     Ax Ay Bx By Cx Cy Dx Dy
#     Ax By C- D-
#     A B C D A B
