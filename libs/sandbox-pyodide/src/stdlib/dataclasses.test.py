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
print(C(), replace(Point(1, 2), y=3), Point(1, 2) == Point(1, 2))

# Expected output:
#
#     {'x': 10, 'y': 20} {'mylist': [{'x': 0, 'y': 0}, {'x': 10, 'y': 4}]}
#     (10, 20) ([(0, 0), (10, 4)],)
#     C(mylist=[]) Point(x=1, y=3) True
