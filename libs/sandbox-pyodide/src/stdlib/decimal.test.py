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
print(Decimal('7.325').quantize(Decimal('.01'), rounding=ROUND_DOWN))

# Expected output:
#
#     3.140000000000000124344978758017532527446746826171875
#     Decimal('0.142857')
#     Decimal('0.1428571428571428571428571429')
#     9.25 0.03 19.29
#     6.70 2.5058 0.77 1.3
#     7.32
