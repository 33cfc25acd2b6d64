/** Creates the demo's files: a year of orders, with exchange rates that differ from month to month. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const names = [
  'Aurora Foods',
  'Blue Harbor',
  'Cedar & Sons',
  'Dune Textiles',
  'Elm Street Books',
  'Fjord Optics',
];
const currencies = { EUR: 1.08, GBP: 1.27, JPY: 0.0067, CHF: 1.12 };
const ordersPerMonth = 60;

/**
 * Writes the files to the folder. Returns their texts and the expected answer of the program, computed from the
 * data.
 */
export async function writeSampleFiles(folder) {
  const random = fixedRandom(2025);
  const ids = names.map((_, index) => `C${String(index + 1).padStart(2, '0')}`);
  const files = new Map([['customers.json', Object.fromEntries(ids.map((id, index) => [id, names[index]]))]]);
  const totals = new Map(ids.map((id) => [id, 0]));
  for (let number = 1; number <= 12; number++) {
    const month = String(number).padStart(2, '0');
    const rates = Object.fromEntries(
      Object.entries(currencies).map(([currency, rate]) => [currency, rate * (0.8 + 0.4 * random())]),
    );
    const orders = Array.from({ length: ordersPerMonth }, () => ({
      customer: pick(ids, random),
      currency: pick(Object.keys(currencies), random),
      amount: Math.round(random() * 100_000) / 100,
    }));
    for (const { customer, currency, amount } of orders) {
      totals.set(customer, totals.get(customer) + amount * rates[currency]);
    }
    files.set(`orders-${month}.json`, orders).set(`rates-${month}.json`, rates);
  }
  const texts = [...files].map(([name, content]) => [name, JSON.stringify(content, null, 2)]);
  await mkdir(folder, { recursive: true });
  await Promise.all(texts.map(([name, text]) => writeFile(join(folder, name), text)));
  const [best, total] = [...totals].sort((a, b) => b[1] - a[1])[0];
  return {
    remembered: `${names[ids.indexOf(best)]} paid ${total.toFixed(2)} USD`,
    texts: texts.map(([, text]) => text),
  };
}

const pick = (list, random) => list[Math.floor(random() * list.length)];

/** Numbers in [0, 1), the same in each run (mulberry32). */
function fixedRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
