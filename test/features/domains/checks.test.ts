/** Checks that run in parallel, finish late, or lose their domain in the meantime. */
import { expect, test } from 'bun:test';
import { getEventListeners } from 'node:events';
import { checkDomain } from '../../../src/features/domains/check.ts';
import { findDomain } from '../../../src/features/domains/find.ts';
import { domainJobs } from '../../../src/features/domains/jobs.ts';
import { type DnsAnswer, silence } from '../../peers/dns-server.ts';
import { until } from '../../until.ts';
import { DAY, HOUR, MINUTE, startWorld, type World } from './world.ts';

const mx = (...exchangers: string[]): DnsAnswer => ({
  records: exchangers.map((data) => ({ type: 'MX' as const, data })),
});

/** How often the DNS was queried for the ownership record. */
const checks = ({ dns }: World) =>
  dns.asked.filter((line) => line.startsWith('TXT _postern-challenge')).length;

test('a clock set back by years delays no check', async () => {
  await using world = await startWorld();
  const [one, two] = [await world.verified('one.example'), await world.register('two.example')];
  await world.later(400 * DAY);
  const three = await world.register('three.example');
  world.clock.set(world.clock.nowUs() - 400 * DAY * 1000);
  for (const domain of [two, three]) world.publish(domain);
  const before = checks(world);
  await world.later(2 * HOUR);
  expect(checks(world) - before).toBe(3);
  for (const domain of [one, two, three]) expect((await world.get(domain)).status).toBe('verified');
});

test('simultaneous checks of one domain are merged into one', async () => {
  await using world = await startWorld();
  const { services } = world.appliance;
  const { id } = await world.register('one.example');
  const domain = findDomain(services.store, id);
  world.publish(await world.get(domain));
  const checked = await Promise.all(Array.from({ length: 20 }, () => checkDomain(services, domain, 'owner')));
  expect(checked.map((one) => one?.status)).toEqual(Array(20).fill('verified'));
  expect(checks(world)).toBe(1);
  await checkDomain(services, domain, 'owner');
  expect(checks(world)).toBe(2);
});

test('all due domains are checked, however many, and a stop waits for none of them', async () => {
  await using world = await startWorld();
  const domains = await Promise.all(Array.from({ length: 20 }, (_, at) => world.register(`d${at}.example`)));
  for (const domain of domains) world.publish(domain);
  await world.later(MINUTE);
  for (const domain of domains) expect((await world.get(domain)).status).toBe('verified');
  const slow = await world.register('slow.example');
  world.dns.set(slow.verification_txt_host, 'TXT', silence);
  await world.clock.leap(MINUTE);
  const abort = new AbortController();
  const beganMs = performance.now();
  const run = domainJobs[0]!.run(world.appliance.services, abort.signal);
  abort.abort();
  await run;
  expect(performance.now() - beganMs).toBeLessThan(2_000);
});

test('a run of the job leaves no listener on the signal of the stop, which lasts as long as the server', async () => {
  await using world = await startWorld();
  world.publish(await world.register('one.example'));
  await world.clock.leap(MINUTE);
  const { signal } = new AbortController();
  for (let run = 0; run < 3; run++) await domainJobs[0]!.run(world.appliance.services, signal);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a domain deleted during its check stays deleted', async () => {
  await using world = await startWorld();
  const domain = await world.register('one.example');
  world.publish(domain);
  world.dns.set(domain.name, 'MX', { ...mx(`10 ${domain.mx_target}`), delay_ms: 300 });
  const verify = world.api('POST', `/domains/${domain.id}/verify`);
  await until(() => world.dns.asked.length !== 0);
  expect((await world.api('DELETE', `/domains/${domain.id}`)).status).toBe(204);
  expect((await verify).status).toBe(404);
  expect((await world.api('GET', '/domains')).json.data).toEqual([]);
});
