// Which customer paid most in 2025, in US dollars? Orders are in many currencies, and every month has its
// own exchange rates: an answer read from the wrong file would be a wrong answer.
interface Order {
  customer: string;
  currency: string;
  amount: number;
}

const tools = await discoverMCPTools();
const reader = tools.find(({ name }) => name.endsWith('__read_text_file'))?.name;
if (!reader) throw new Error('None of the servers reads files.');

const { content } = (await callMCPTool('mcp__filesystem__list_allowed_directories', {})) as {
  content: string;
};
const folder = content.split('\n')[1];

const read = async <Data>(file: string, parse: (text: string) => Data): Promise<Data> => {
  const result = (await callMCPTool(reader, { path: `${folder}/${file}` })) as { content: string };
  return parse(result.content);
};

// All files at once, joined by month, by currency and by customer.
const customers = await read('customers.json', (text) => JSON.parse(text) as Record<string, string>);
const months = Array.from({ length: 12 }, (_, index) => String(index + 1).padStart(2, '0'));
const totals = new Map<string, number>();
await Promise.all(
  months.map(async (month) => {
    const [orders, rates] = await Promise.all([
      read(`orders-${month}.json`, (text) => JSON.parse(text) as Order[]),
      read(`rates-${month}.json`, (text) => JSON.parse(text) as Record<string, number>),
    ]);
    for (const { customer, currency, amount } of orders) {
      totals.set(customer, (totals.get(customer) ?? 0) + amount * (rates[currency] ?? NaN));
    }
  }),
);
const [best, total] = [...totals].sort((a, b) => b[1] - a[1])[0] ?? ['nobody', 0];
const fact = `${customers[best] ?? best} paid ${total.toFixed(2)} USD`;

// Remember it, and read it back.
const entity = { name: 'Best customer of 2025', entityType: 'finding', observations: [fact] };
await callMCPTool('mcp__memory__create_entities', { entities: [entity] });
const { entities } = (await callMCPTool('mcp__memory__open_nodes', { names: [entity.name] })) as {
  entities: (typeof entity)[];
};

export default { tools: tools.length, remembered: entities[0]?.observations[0] };
