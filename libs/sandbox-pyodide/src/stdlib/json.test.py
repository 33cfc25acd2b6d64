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
print(json.loads('["foo", {"bar":["baz", null, 1.0, 2]}]'))

# Expected output:
#
#     ["foo", {"bar": ["baz", null, 1.0, 2]}]
#     "\"foo\bar"
#     "\u1234"
#     {"a": 0, "b": 0, "c": 0}
#     ["streaming API"]
#     [1,2,3,{"4":5,"6":7}]
#     {
#         "4": 5,
#         "6": 7
#     }
#     ['foo', {'bar': ['baz', None, 1.0, 2]}]
