import { readFileSync } from 'node:fs';

/** One end of a TCP connection on this machine, as Linux lists it. */
interface TcpEnd {
  /** Hexadecimal, as in the kernel's table: 0100007F is 127.0.0.1. */
  address: string;
  port: number;
  remotePort: number;
  state: 'established' | 'listening' | 'other';
}

/** All TCP connections of this machine. */
export function tcpTable(): TcpEnd[] {
  const lines = ['tcp', 'tcp6'].flatMap((name) =>
    readFileSync(`/proc/net/${name}`, 'utf8').trim().split('\n').slice(1),
  );
  return lines.map((line) => {
    const [, local = '', remote = '', state] = line.trim().split(/\s+/);
    const [address = '', port = ''] = local.split(':');
    return {
      address,
      port: Number.parseInt(port, 16),
      remotePort: Number.parseInt(remote.split(':')[1] ?? '', 16),
      state: state === '01' ? 'established' : state === '0A' ? 'listening' : 'other',
    };
  });
}
