import sqlite3
con = sqlite3.connect("tutorial.db")
cur = con.cursor()
cur.execute("CREATE TABLE movie(title, year, score)")
print(cur.execute("SELECT name FROM sqlite_master").fetchone())
data = [
    ("Monty Python and the Holy Grail", 1975, 8.2),
    ("And Now for Something Completely Different", 1971, 7.5),
    ("Monty Python Live at the Hollywood Bowl", 1982, 7.9),
    ("Monty Python's The Meaning of Life", 1983, 7.5),
    ("Monty Python's Life of Brian", 1979, 8.0),
]
cur.executemany("INSERT INTO movie VALUES(?, ?, ?)", data)
con.commit()
for row in cur.execute("SELECT year, title FROM movie ORDER BY year"):
    print(row)
con.close()
new_con = sqlite3.connect("tutorial.db")
title, year = new_con.cursor().execute("SELECT title, year FROM movie ORDER BY score DESC").fetchone()
print(f'The highest scoring Monty Python movie is {title!r}, released in {year}')
new_con.close()

# Expected output:
#
#     ('movie',)
#     (1971, 'And Now for Something Completely Different')
#     (1975, 'Monty Python and the Holy Grail')
#     (1979, "Monty Python's Life of Brian")
#     (1982, 'Monty Python Live at the Hollywood Bowl')
#     (1983, "Monty Python's The Meaning of Life")
#     The highest scoring Monty Python movie is 'Monty Python and the Holy Grail', released in 1975
