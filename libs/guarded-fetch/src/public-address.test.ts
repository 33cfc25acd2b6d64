import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { errorOf, localNetwork } from './local-network.test.kit.js';

let local: Awaited<ReturnType<typeof localNetwork>>;
beforeAll(async () => {
  local = await localNetwork((_request, response) => response.end('reached'));
});
afterAll(() => local.close());

const codeOf = async (url: string): Promise<string> => {
  const { hostname } = new URL(url);
  const dialled = local.dialled.length;
  const error = await errorOf(local.fetch({ url }, [hostname]));
  expect(error.message).toMatch(
    /^Host \S+ is not reached because it is not a public address; fetch has no way into private networks\.$/,
  );
  expect(local.dialled).toHaveLength(dialled);
  return error.code;
};

const nonPublic = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.0.1',
  '169.254.169.254',
  '169.254.170.2',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '::ffff:169.254.169.254',
  '::ffff:0:127.0.0.1',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:0:7f00:1::',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:a9fe:a9fe::1',
  '3fff::1',
  'fc00::1',
  'fd00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '4000::1',
];

describe('addresses that are not public', () => {
  test.each(nonPublic)(
    'a name that resolves to %s is not reached, and the program does not learn the address',
    async (address) => {
      local.addresses.set('inside.example.com', [address]);
      const error = await errorOf(local.fetch({ url: 'http://inside.example.com/' }));
      expect(error.code).toBe('permission_denied');
      expect(error.message).toBe(
        'Host inside.example.com is not reached because it is not a public address; fetch has no way into private networks.',
      );
      expect(JSON.stringify(error)).not.toContain(address);
      expect(local.dialled).toEqual([]);
    },
  );

  test.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://0177.0.0.1/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://017700000001/',
    'http://127.0.0.1./',
    'http://１２７.０.０.１/',
    'http://0/',
    'http://[::]/',
    'http://[::1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/',
    'http://10.0.0.1:8080/',
    'https://192.168.1.1/',
    'http://[fc00::1]/',
    'http://[64:ff9b::7f00:1]/',
  ])('%s is not reached, although it is granted', async (url) => {
    const { hostname, port } = new URL(url);
    const error = await errorOf(local.fetch({ url }, [port ? `${hostname}:${port}` : hostname]));
    expect(error.code).toBe('permission_denied');
    expect(error.message).toContain('is not a public address');
    expect([local.looked.filter((name) => name === hostname), local.dialled]).toEqual([[], []]);
  });

  test.each([
    ['localhost', '127.0.0.1'],
    ['LOCALHOST', '::1'],
    ['a.localhost', '127.0.0.1'],
    ['metadata.google.internal', '169.254.169.254'],
    ['127.0.0.1.nip.io', '127.0.0.1'],
  ])('%s is not reached, although it is granted', async (host, address) => {
    local.addresses.set(host.toLowerCase(), [address]);
    expect(await codeOf(`http://${host}/`)).toBe('permission_denied');
  });

  test.each([
    [['93.184.215.14', '10.0.0.1']],
    [['10.0.0.1', '93.184.215.14']],
    [['2606:2800:21f::1', '::1', '93.184.215.14']],
    [['93.184.215.14', 'no address']],
    [['93.184.215.14', '']],
  ])('a name is not reached if one address among %j is not public', async (addresses) => {
    local.addresses.set('mixed.example.com', addresses);
    expect(await codeOf('http://mixed.example.com/')).toBe('permission_denied');
  });
});

describe('public addresses', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.215.14',
    '100.63.255.255',
    '100.128.0.1',
    '172.15.255.255',
    '172.32.0.1',
    '192.169.0.1',
    '223.255.255.255',
    '2606:4700::1111',
    '2a00:1450::1',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ])('a name that resolves to %s is reached there', async (address) => {
    const host = `h${nextHost++}.example.com`;
    local.addresses.set(host, [address]);
    expect((await local.fetch({ url: `http://${host}/` })).status).toBe(200);
    expect(local.dialled.at(-1)).toBe(`${address}:80`);
  });
  let nextHost = 0;

  test('a literal is reached without a resolver', async () => {
    local.looked.length = 0;
    expect((await local.fetch({ url: 'http://134744072:8080/' }, ['8.8.8.8:8080'])).url).toBe(
      'http://8.8.8.8:8080/',
    );
    expect((await local.fetch({ url: 'http://[2606:4700::1111]/' }, ['2606:4700::1111'])).status).toBe(200);
    expect(local.looked).toEqual([]);
    expect(local.dialled.slice(-2)).toEqual(['8.8.8.8:8080', '2606:4700::1111:80']);
  });
});

describe('a resolver that changes its mind', () => {
  test('cannot move a connection: each is dialled at the address that was checked', async () => {
    const answers = [['93.184.215.14'], ['127.0.0.1'], ['93.184.215.14']];
    let asked = 0;
    const rebinding = await localNetwork(
      (_request, response) => response.setHeader('connection', 'close').end('reached'),
      { lookup: () => Promise.resolve(answers[asked++] ?? ['127.0.0.1']) },
    );
    const get = () => rebinding.fetch({ url: 'http://rebind.example.com/' });
    expect((await get()).status).toBe(200);
    expect((await errorOf(get())).code).toBe('permission_denied');
    expect((await get()).status).toBe(200);
    // One lookup for each connection: the name was not resolved again after the check.
    expect(asked).toBe(3);
    expect(rebinding.dialled).toEqual(['93.184.215.14:80', '93.184.215.14:80']);
    await rebinding.close();
  });
});
