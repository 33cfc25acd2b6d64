from datetime import datetime, timedelta
print(repr(timedelta(days=50, seconds=27, microseconds=10, milliseconds=29000, minutes=5, hours=8, weeks=2)))
dt = datetime.strptime("21/11/06 16:30", "%d/%m/%y %H:%M")
print(repr(dt))
print(dt.strftime("%A, %d. %B %Y %I:%M%p"))
print('The {1} is {0:%d}, the {2} is {0:%B}, the {3} is {0:%I:%M%p}.'.format(dt, "day", "month", "time"))

# Expected output:
#
#     datetime.timedelta(days=64, seconds=29156, microseconds=10)
#     datetime.datetime(2006, 11, 21, 16, 30)
#     Tuesday, 21. November 2006 04:30PM
#     The day is 21, the month is November, the time is 04:30PM.
