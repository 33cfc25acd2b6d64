from zoneinfo import ZoneInfo
from datetime import datetime, timedelta, timezone
LOS_ANGELES = ZoneInfo("America/Los_Angeles")
dt = datetime(2020, 10, 31, 12, tzinfo=LOS_ANGELES)
print(dt, dt.tzname())
dt_add = dt + timedelta(days=1)
print(dt_add, dt_add.tzname())
dt = datetime(2020, 11, 1, 1, tzinfo=LOS_ANGELES)
print(dt)
print(dt.replace(fold=1))
dt_utc = datetime(2020, 11, 1, 8, tzinfo=timezone.utc)
print(dt_utc.astimezone(LOS_ANGELES), (dt_utc + timedelta(hours=1)).astimezone(LOS_ANGELES))

# Expected output:
#
#     2020-10-31 12:00:00-07:00 PDT
#     2020-11-01 12:00:00-08:00 PST
#     2020-11-01 01:00:00-07:00
#     2020-11-01 01:00:00-08:00
#     2020-11-01 01:00:00-07:00 2020-11-01 01:00:00-08:00
