from string import Template
s = Template('$who likes $what')
print(s.substitute(who='tim', what='kung pao'))
d = dict(who='tim')
for template in 'Give $who $100', '$who likes $what':
    try:
        Template(template).substitute(d)
    except (ValueError, KeyError) as error:
        print(f'{type(error).__name__}: {error}')
print(Template('$who likes $what').safe_substitute(d))

# Expected output:
#
#     tim likes kung pao
#     ValueError: Invalid placeholder in string: line 1, col 11
#     KeyError: 'what'
#     tim likes $what
