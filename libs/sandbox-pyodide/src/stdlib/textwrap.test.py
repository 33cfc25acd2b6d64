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

# Expected output:
#
#     '    hello\n      world\n    '
#     'hello\n  world\n'
#     Hello world!
#     Hello [...]
#     Hello...
#     '  hello\n\n \n  world'
