/**
 * Loaded before the server: a small fake internet. Two public addresses lead to the web server and to the closed port
 * that `FAKE_INTERNET` names (`80:81`), and a few host names have addresses.
 */
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

const [webPort, closedPort] = process.env.FAKE_INTERNET.split(':').map(Number);
const web = '93.184.215.14';
const closed = '93.184.215.15';
const ports = { [web]: webPort, [closed]: closedPort };
const inside = '127.0.0.1';
/** The answers of the resolver in order; the last one is repeated. */
const answers = {
  'public.example.com': [[web]],
  'other.example.com': [[web]],
  // A client that checks only the first address tries the second one when the first refuses.
  'mixed.example.com': [[closed, inside]],
  'inside-first.example.com': [[inside, web]],
  'mapped.example.com': [[closed, '::ffff:127.0.0.1']],
  'rebinding.example.com': [[web], [inside]],
};

const realLookup = dns.promises.lookup;
dns.promises.lookup = async (name, options) => {
  const known = answers[name];
  if (known === undefined) return realLookup(name, options);
  const addresses = known.length > 1 ? known.shift() : known[0];
  return addresses.map((address) => ({ address, family: net.isIP(address) }));
};
const realConnect = net.connect;
net.connect = (options, ...rest) =>
  ports[options?.host] === undefined
    ? realConnect(options, ...rest)
    : realConnect({ host: inside, port: ports[options.host] });
syncBuiltinESMExports();
