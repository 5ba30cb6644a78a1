/** Runs servers as child processes of the bench, and reads their memory from the kernel. */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { FloodOptions, FloodResult } from './flood.ts';

export interface Memory {
  /** Resident memory (RSS), and with shared pages divided among their users (PSS). */
  rssMb: number;
  pssMb: number;
  processes: number;
}

/** Returns the memory of a process and its descendants. */
export function measureMemory(pid: number): Memory {
  const memory = { rssMb: 0, pssMb: 0, processes: 0 };
  for (const one of listTree(pid)) {
    try {
      const rollup = readFileSync(`/proc/${one}/smaps_rollup`, 'utf8');
      const kb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(rollup)?.[1] ?? 0);
      memory.rssMb += kb('Rss') / 1024;
      memory.pssMb += kb('Pss') / 1024;
      memory.processes++;
    } catch {
      // It has ended.
    }
  }
  return memory;
}

/** Returns the resident memory of a process alone, in KiB. */
export function readResidentKib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? Number.NaN);
}

export function countDescriptors(pid: number): number {
  let descriptors = 0;
  for (const one of listTree(pid)) {
    try {
      descriptors += readdirSync(`/proc/${one}/fd`).length;
    } catch {
      // It has ended.
    }
  }
  return descriptors;
}

export function listTree(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // After the name, which may contain anything: state, then the parent.
      const parent = Number(readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    } catch {
      // It has ended.
    }
  }
  const below = (one: number): number[] => [one, ...(children.get(one) ?? []).flatMap(below)];
  return below(pid);
}

/**
 * Below the ports that systems give to connections and to port 0 (from 32768 on Linux), so that no other program gets
 * such a port before it is used.
 */
const FREE_PORT_MIN = 10_000;
const FREE_PORTS = 20_000;

/** Returns a port on which nothing listens at 127.0.0.1. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FREE_PORT_MIN + Math.floor(Math.random() * FREE_PORTS);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

/** Waits until something listens on a port of this machine; throws after 15 seconds. */
export async function waitForPort(port: number): Promise<void> {
  const until = performance.now() + 15_000;
  for (;;) {
    try {
      const socket = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } });
      socket.end();
      return;
    } catch {
      if (performance.now() > until) throw new Error(`nothing listens on port ${port}`);
      await Bun.sleep(50);
    }
  }
}

/** Stops a server as its operator would, or kills it if it does not end. */
export async function stop(child: Bun.Subprocess): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await child.exited;
  clearTimeout(timer);
}

export async function flood(options: FloodOptions): Promise<FloodResult> {
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/flood.ts`, JSON.stringify(options)], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  // JSON has no NaN: it represents a figure without values as null.
  const figures = (_: string, value: unknown) => value ?? Number.NaN;
  return JSON.parse(await child.stdout.text(), figures) as FloodResult;
}
