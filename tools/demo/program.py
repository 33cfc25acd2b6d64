# Which customer paid most in 2025, in US dollars? Orders are in many currencies, and every month has its
# own exchange rates: an answer read from the wrong file would be a wrong answer.
import asyncio
import json
from collections import Counter

tools = await discover_mcp_tools()
reader = next(tool["name"] for tool in tools if tool["name"].endswith("__read_text_file"))

allowed = await call_mcp_tool("mcp__filesystem__list_allowed_directories")
folder = allowed["content"].splitlines()[1]


async def read(file):
    result = await call_mcp_tool(reader, {"path": f"{folder}/{file}"})
    return json.loads(result["content"])


async def totals_of(month):
    orders, rates = await asyncio.gather(read(f"orders-{month:02}.json"), read(f"rates-{month:02}.json"))
    totals = Counter()
    for order in orders:
        totals[order["customer"]] += order["amount"] * rates[order["currency"]]
    return totals


# All files at once, joined by month, by currency and by customer.
customers, *months = await asyncio.gather(read("customers.json"), *map(totals_of, range(1, 13)))
best, total = sum(months, Counter()).most_common(1)[0]
fact = f"{customers[best]} paid {total:.2f} USD"

# Remember it, and read it back.
entity = {"name": "Best customer of 2025", "entityType": "finding", "observations": [fact]}
await call_mcp_tool("mcp__memory__create_entities", {"entities": [entity]})
found = await call_mcp_tool("mcp__memory__open_nodes", {"names": [entity["name"]]})

{"tools": len(tools), "remembered": found["entities"][0]["observations"][0]}
