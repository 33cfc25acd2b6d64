import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';

/** A machine as far as the network is concerned: its own interfaces and its own loopback. */
export interface Machine {
  address: string;
  /** Goes before a command that is to run there. */
  enter: readonly string[];
}

export interface TwoMachines {
  server: Machine;
  peer: Machine;
  /** Ends the network; what runs on the machines has to be ended before. */
  close(): Promise<void>;
}

const addresses = { server: '10.99.0.1', peer: '10.99.0.2' };

/**
 * Connects two network namespaces by a cable that leads nowhere else. They belong to a user namespace, so this needs no
 * root, and the kernel removes everything with the processes that hold them, even if this one is killed.
 */
export async function connectTwoMachines(): Promise<TwoMachines> {
  const server = await hold(['unshare', '--map-root-user', '--net']);
  const asItsRoot = ['--user', '--preserve-credentials'];
  const enter = ({ pid }: Holder) => ['nsenter', '--target', String(pid), '--net', ...asItsRoot];
  const peer = await hold([...enter(server), 'unshare', '--net']);
  const setUp = async (holder: Holder, link: string, address: string) => {
    const script = `ip address add ${address}/24 dev ${link} && ip link set ${link} up && ip link set lo up`;
    await runIn(enter(holder), script);
  };
  await runIn(enter(server), `ip link add to-peer type veth peer name to-server netns ${peer.pid}`);
  await setUp(server, 'to-peer', addresses.server);
  await setUp(peer, 'to-server', addresses.peer);
  return {
    server: { address: addresses.server, enter: enter(server) },
    peer: { address: addresses.peer, enter: enter(peer) },
    async close() {
      await peer.end();
      await server.end();
    },
  };
}

interface Holder {
  pid: number;
  end(): Promise<void>;
}

/** Starts a process that does nothing but keep its namespaces, until it is ended or this process is gone. */
async function hold(command: readonly string[]): Promise<Holder> {
  const [name, ...args] = [...command, 'sh', '-c', 'echo held && exec cat'];
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(name, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const isHeld = await Promise.race([once(child.stdout, 'data').then(() => true), ended.then(() => false)]);
  if (!isHeld || child.pid === undefined) throw new Error(`${command.join(' ')} does not work here.`);
  return {
    pid: child.pid,
    async end() {
      child.stdin.end();
      await ended;
    },
  };
}

async function runIn(enter: readonly string[], script: string): Promise<void> {
  const [name, ...args] = [...enter, 'sh', '-c', script];
  await promisify(execFile)(name, args);
}
