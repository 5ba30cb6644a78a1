import { expect, test } from 'bun:test';
import { type Drawer, Limiter } from '../../../src/platform/http/limit.ts';
import type { PlatformServices } from '../../../src/platform/services.ts';
import { type Limits, limits } from '../../../src/rules/limits.ts';

const services = { settings: { limits: true }, limits: limits as Limits } as unknown as PlatformServices;
const nowUs = 1_800_000_000_000_000;
const drawer = (ip: string): Drawer => ({
  caller: null,
  accountId: undefined,
  client: { ip },
  limitedSubject: undefined,
});

test('a flood from very many addresses does not reset the counts of the whole service', () => {
  const limiter = new Limiter(services);
  const registrations = ['agent_registrations_per_hour', 'agent_registrations_service_per_hour'] as const;
  const left = (ip: string) => limiter.look(registrations, drawer(ip), nowUs)?.remaining;
  for (let nth = 0; nth < limits.agent_registrations_service_per_hour.max; nth++)
    limiter.admit(registrations, [], drawer(`192.0.2.${nth}`), nowUs);
  expect(left('198.51.100.1')).toBe(0);
  // More addresses than there are counters. A client with a /44 of IPv6 has a million.
  for (let nth = 0; nth < 210_000; nth++)
    limiter.admit(['public_read_per_minute'], [], drawer(`2001:db8:0:${nth.toString(16)}::/64`), nowUs);
  expect(left('198.51.100.1')).toBe(0);
});
