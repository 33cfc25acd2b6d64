from statistics import *
print(mean([1, 2, 3, 4, 4]), median([1, 3, 5, 7]))
print(mode(["red", "blue", "blue", "red", "green", "red", "red"]))
print(stdev([1.5, 2.5, 2.5, 2.75, 3.25, 4.75]))
sat = NormalDist(1060, 195)
print(round((sat.cdf(1200 + 0.5) - sat.cdf(1100 - 0.5)) * 100.0, 1))
print(list(map(round, sat.quantiles())))
slope, intercept = linear_regression([1971, 1975, 1979, 1982, 1983], [1, 2, 3, 4, 5])
print(round(slope * 2019 + intercept))

# Expected output:
#
#     2.8 4.0
#     red
#     1.0810874155219827
#     18.4
#     [928, 1060, 1192]
#     16
