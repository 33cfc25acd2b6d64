/**
 * Makes requests from another machine, one after the other. The argument is a JSON array of `{ url, method, headers,
 * body }`; prints the answers as a JSON array of `{ status, headers, text }`.
 */
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';

const answers = [];
for (const { url, body, ...options } of JSON.parse(process.argv[2])) {
  // Not with fetch, which sets Host itself.
  const [answer] = await once(request(url, { ...options, agent: false }).end(body), 'response');
  answers.push({ status: answer.statusCode, headers: answer.headers, text: await text(answer) });
}
process.stdout.write(JSON.stringify(answers));
