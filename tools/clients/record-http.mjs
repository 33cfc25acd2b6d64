/** A proxy on loopback that appends what passes to a file. */
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createServer, request as send } from 'node:http';

export async function recordHttp(file, target) {
  const record = (from, line) => appendFileSync(file, `${JSON.stringify({ from, at: Date.now(), line })}\n`);
  const proxy = createServer((request, response) => {
    const { hostname, port } = new URL(target);
    const headers = { ...request.headers, host: `${hostname}:${port}` };
    const onward = send({ hostname, port, method: request.method, path: request.url, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      let text = '';
      answer.on('data', (chunk) => {
        text += chunk;
        response.write(chunk);
      });
      answer.on('end', () => {
        record('server', `${answer.statusCode} ${text}`);
        response.end();
      });
      answer.on('error', () => response.destroy());
    });
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
      onward.write(chunk);
    });
    request.on('end', () => {
      const version = request.headers['mcp-protocol-version'] ?? '';
      record('client', `${request.method} ${version} ${body}`);
      onward.end();
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${proxy.address().port}`,
    close() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
