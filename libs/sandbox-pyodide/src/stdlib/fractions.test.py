from fractions import Fraction
from math import cos, floor, pi
print([Fraction(16, -10), Fraction(123), Fraction(), Fraction(' -3/7 '), Fraction('7e-6'), Fraction(1.1)])
print(repr(Fraction('3.1415926535897932').limit_denominator(1000)))
print(repr(Fraction(cos(pi/3))), repr(Fraction(cos(pi/3)).limit_denominator()))
print(floor(Fraction(355, 113)), format(Fraction(1, 7), '.40g'), f"{Fraction(355, 113):*>20.6e}")
print("{:.2%} price increase".format(Fraction(672, 499) - 1))

# Expected output:
#
#     [Fraction(-8, 5), Fraction(123, 1), Fraction(0, 1), Fraction(-3, 7), Fraction(7, 1000000), Fraction(2476979795053773, 2251799813685248)]
#     Fraction(355, 113)
#     Fraction(4503599627370497, 9007199254740992) Fraction(1, 2)
#     3 0.1428571428571428571428571428571428571429 ********3.141593e+00
#     34.67% price increase
