# Which customer paid most in 2025, in US dollars? Orders have many currencies, and each month has its own
# exchange rates, so reading the wrong file would give a wrong answer.
import asyncio
import json
from collections import Counter

# The signature shows how to read files. The program finds it itself, which saves the agent a turn.
reader = search_tools("read the content of a text file")[0]

allowed = await tools.filesystem.list_allowed_directories()
folder = allowed["content"].splitlines()[1]


async def read(file):
    result = await tools.filesystem.read_text_file(path=f"{folder}/{file}")
    return json.loads(result["content"])


async def totals_of(month):
    orders, rates = await asyncio.gather(read(f"orders-{month:02}.json"), read(f"rates-{month:02}.json"))
    totals = Counter()
    for order in orders:
        totals[order["customer"]] += order["amount"] * rates[order["currency"]]
    return totals


# Reads all files at once, and joins them by month, currency and customer.
customers, *months = await asyncio.gather(read("customers.json"), *map(totals_of, range(1, 13)))
best, total = sum(months, Counter()).most_common(1)[0]
fact = f"{customers[best]} paid {total:.2f} USD"

# Stores the answer, and reads it back.
entity = {"name": "Best customer of 2025", "entityType": "finding", "observations": [fact]}
await tools.memory.create_entities(entities=[entity])
found = await tools.memory.open_nodes(names=[entity["name"]])

{"found": reader["signature"], "remembered": found["entities"][0]["observations"][0]}
