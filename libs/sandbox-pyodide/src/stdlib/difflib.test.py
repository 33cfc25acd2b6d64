import sys
from difflib import *
print(get_close_matches('appel', ['ape', 'apple', 'peach', 'puppy']))
diff = ndiff('one\ntwo\nthree\n'.splitlines(keepends=True), 'ore\ntree\nemu\n'.splitlines(keepends=True))
print(''.join(diff), end="")
s1 = ['bacon\n', 'eggs\n', 'ham\n', 'guido\n']
s2 = ['python\n', 'eggy\n', 'hamster\n', 'guido\n']
sys.stdout.writelines(unified_diff(s1, s2, fromfile='before.py', tofile='after.py'))

# Expected output:
#
#     ['apple', 'ape']
#     - one
#     ?  ^
#     + ore
#     ?  ^
#     - two
#     - three
#     ?  -
#     + tree
#     + emu
#     --- before.py
#     +++ after.py
#     @@ -1,4 +1,4 @@
#     -bacon
#     -eggs
#     -ham
#     +python
#     +eggy
#     +hamster
#      guido
