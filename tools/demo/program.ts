// Which customer paid most in 2025, in US dollars? Orders have many currencies, and each month has its own
// exchange rates, so reading the wrong file would give a wrong answer.
interface Order {
  customer: string;
  currency: string;
  amount: number;
}

// The signature shows how to read files. The program finds it itself, which saves the agent a turn.
const [reader] = await searchTools('read the content of a text file');

const { content } = await tools.filesystem.listAllowedDirectories();
const folder = content.split('\n')[1];

const read = async <Data>(file: string, parse: (text: string) => Data): Promise<Data> => {
  const result = await tools.filesystem.readTextFile({ path: `${folder}/${file}` });
  return parse(result.content);
};

// Reads all files at once, and joins them by month, currency and customer.
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

// Stores the answer, and reads it back.
const entity = { name: 'Best customer of 2025', entityType: 'finding', observations: [fact] };
await tools.memory.createEntities({ entities: [entity] });
const { entities } = await tools.memory.openNodes({ names: [entity.name] });

export default { found: reader?.signature, remembered: entities[0]?.observations[0] };
