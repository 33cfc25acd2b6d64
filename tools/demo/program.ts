// Which customer paid most in 2025, in US dollars? Orders are in many currencies, and every month has its
// own exchange rates: an answer read from the wrong file would be a wrong answer.
interface Order {
  customer: string;
  currency: string;
  amount: number;
}

// What reads files here, and with what? The signature says it: no turn of the agent is spent on that.
const [reader] = await searchTools('read the content of a text file');

const { content } = await tools.filesystem.listAllowedDirectories();
const folder = content.split('\n')[1];

const read = async <Data>(file: string, parse: (text: string) => Data): Promise<Data> => {
  const result = await tools.filesystem.readTextFile({ path: `${folder}/${file}` });
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
await tools.memory.createEntities({ entities: [entity] });
const { entities } = await tools.memory.openNodes({ names: [entity.name] });

export default { found: reader?.signature, remembered: entities[0]?.observations[0] };
