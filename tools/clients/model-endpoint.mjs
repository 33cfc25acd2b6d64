/**
 * A model that follows a script: it calls a tool for each step, and remembers what came back. It speaks the three
 * protocols that the clients use (Anthropic Messages, OpenAI Responses, Gemini), on loopback.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';

import * as anthropic from './protocols/anthropic.mjs';
import * as gemini from './protocols/gemini.mjs';
import * as openai from './protocols/openai.mjs';

const protocols = [anthropic, gemini, openai];

/**
 * Serves the steps (`{ tool, args }`); `results` has what the client sent for each call, in order.
 */
export async function startModel(steps) {
  const model = { results: [], offered: undefined };
  const server = createServer((request, response) => {
    void answer(request, response, steps, model).catch((error) => {
      process.stderr.write(`The model endpoint failed: ${error.stack}\n`);
      response.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    ...model,
    get results() {
      return model.results;
    },
    get offered() {
      return model.offered;
    },
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answer(request, response, steps, model) {
  const protocol = protocols.find(({ isMine }) => isMine(request));
  const body = await readJson(request);
  if (!protocol || !body) {
    response.writeHead(request.method === 'HEAD' ? 200 : 404).end('{}');
    return;
  }
  const { tools, results } = protocol.read(body);
  if (results.length > model.results.length) model.results = results;
  const step = steps[results.length];
  const name = step && tools.find((each) => each.endsWith(step.tool));
  // Clients also ask for titles, topics and the like, without our tools.
  if (tools.some((each) => each.endsWith('executeTypescript'))) model.offered = tools;
  const call = name && { id: `call_${results.length}`, name, args: step.args };
  protocol.write(response, call, body);
}

async function readJson(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
}
