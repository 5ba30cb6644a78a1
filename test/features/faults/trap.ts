/** A trap whose SMTP faults a test sets. */
import { expect } from 'bun:test';
import type { SmtpFaultView } from '../../../src/features/faults/wire.ts';
import type { Clock } from '../../../src/platform/core/clock.ts';
import { type Reply, type RunningAppliance, startAppliance } from '../../start.ts';

export interface Trap extends AsyncDisposable {
  appliance: RunningAppliance;
  ask(method: string, path?: string, body?: unknown): Promise<Reply>;
  add(rule: Record<string, unknown>): Promise<SmtpFaultView>;
  list(): Promise<SmtpFaultView[]>;
  readHits(id: string): Promise<number | undefined>;
  /** Settles when the rule has answered once. */
  untilHit(id: string): Promise<void>;
}

export async function startTrap(clock?: Clock, settings: Record<string, string> = {}): Promise<Trap> {
  const appliance = await startAppliance({
    capture: {},
    settings: { metrics: 'on', limits: 'off', ...settings },
    ...(clock && { clock }),
  });
  const ask: Trap['ask'] = (method, path = '', body) =>
    appliance.request(method, `/api/v1/smtp_faults${path}`, { key: appliance.apiKey ?? '', body });
  const list: Trap['list'] = async () => (await ask('GET')).json.data;
  const readHits = async (id: string) => (await list()).find((one) => one.id === id)?.hits;
  return {
    appliance,
    ask,
    async add(rule) {
      const { status, text, json } = await ask('POST', '', rule);
      expect([status, text]).toEqual([201, text]);
      return json.data;
    },
    list,
    readHits,
    async untilHit(id) {
      const giveUp = performance.now() + 5_000;
      while ((await readHits(id)) !== 1) {
        if (performance.now() > giveUp) throw new Error('the rule did not answer once in time');
      }
    },
    [Symbol.asyncDispose]: () => appliance[Symbol.asyncDispose](),
  };
}
