import csv, io
file = io.StringIO(newline='')
spamwriter = csv.writer(file, delimiter=' ', quotechar='|', quoting=csv.QUOTE_MINIMAL)
spamwriter.writerow(['Spam'] * 5 + ['Baked Beans'])
spamwriter.writerow(['Spam', 'Lovely Spam', 'Wonderful Spam'])
file.seek(0)
for row in csv.reader(file, delimiter=' ', quotechar='|'):
    print(', '.join(row))
with open('names.csv', 'w', newline='') as csvfile:
    writer = csv.DictWriter(csvfile, fieldnames=['first_name', 'last_name'])
    writer.writeheader()
    writer.writerow({'first_name': 'Eric', 'last_name': 'Idle'})
    writer.writerow({'first_name': 'John', 'last_name': 'Cleese'})
with open('names.csv', newline='') as csvfile:
    for row in csv.DictReader(csvfile):
        print(row['first_name'], row['last_name'])

# Expected output:
#
#     Spam, Spam, Spam, Spam, Spam, Baked Beans
#     Spam, Lovely Spam, Wonderful Spam
#     Eric Idle
#     John Cleese
