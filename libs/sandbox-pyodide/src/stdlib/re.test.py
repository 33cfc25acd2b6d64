import re
text = "He was carefully disguised but captured quickly by police."
for m in re.finditer(r"\w+ly\b", text):
    print('%02d-%02d: %s' % (m.start(), m.end(), m.group(0)))
print(re.split(r'\W+', 'Words, words, words.'))
print(re.findall(r'\bf[a-z]*', 'which foot or hand fell fastest'))
def dashrepl(matchobj):
    if matchobj.group(0) == '-': return ' '
    else: return '-'
print(re.sub('-{1,2}', dashrepl, 'pro----gram-files'))
print(re.match(r"(?P<first_name>\w+) (?P<last_name>\w+)", "Malcolm Reynolds").groupdict())

# Expected output:
#
#     07-16: carefully
#     40-47: quickly
#     ['Words', 'words', 'words', '']
#     ['foot', 'fell', 'fastest']
#     pro--gram files
#     {'first_name': 'Malcolm', 'last_name': 'Reynolds'}
