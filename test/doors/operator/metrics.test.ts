/** GET /metrics: what it counts, who may read it, and the monitoring dashboard and alerts built on it. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WAITING_RECIPIENTS } from '../../../src/features/outbound/sending/sql.ts';
import { PENDING } from '../../../src/features/webhooks/sql.ts';
import { prometheusMeters } from '../../../src/platform/core/prometheus.ts';
import { type MetricName, type MetricRule, metricName, metrics } from '../../../src/rules/metrics.ts';
import { startSendingServer } from '../../features/outbound/sending-server.ts';
import { startHooked } from '../../features/webhooks/hooked.ts';
import { sendMail } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { explainPlan } from '../../store-state.ts';
import { until } from '../../until.ts';

const root = join(import.meta.dir, '../../..');

async function scrape(appliance: RunningAppliance): Promise<Map<string, number>> {
  const { status, text, headers } = await appliance.request('GET', '/metrics');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

describe('/metrics', () => {
  test('counts received and refused mail, and woken waiters', async () => {
    await using appliance = await startAppliance({ settings: { metrics: 'on' } });
    const owner = await appliance.holder();
    const inbox = await appliance.inbox(owner);
    const waiting = appliance.request('GET', `/api/v1/inboxes/${inbox.id}/messages/wait`, { key: owner.key });
    await until(() => appliance.services.waits.size === 1);
    expect((await scrape(appliance)).get('postern_waits_open')).toBe(1);

    const port = appliance.smtpPort;
    await sendMail({
      port,
      from: 'a@example.org',
      to: [inbox.address],
      raw: 'Subject: x\r\n\r\nYour code is 481516\r\n',
    });
    await sendMail({ port, from: 'a@example.org', to: ['nobody@postern.test'], raw: 'x\r\n' });
    expect((await waiting).json.data.otp).toBe('481516');

    const found = await scrape(appliance);
    for (const [line, value] of Object.entries({
      postern_mails_accepted_total: 1,
      postern_messages_stored_total: 1,
      'postern_mails_refused_total{reason="unknown_recipient",code="550"}': 1,
      'postern_parses_total{status="parsed"}': 1,
      'postern_extractions_total{found="code"}': 1,
      postern_parse_seconds_count: 1,
      postern_wait_wake_seconds_count: 1,
      postern_waits_open: 0,
      postern_webhook_queue: 0,
      'postern_http_requests_total{route="createInbox",status="201"}': 1,
      'postern_http_requests_total{route="waitForMessage",status="200"}': 1,
    })) {
      expect([line, found.get(line)]).toEqual([line, value]);
    }
    expect(found.get('postern_commit_seconds_count')).toBeGreaterThan(0);
    expect(found.get('postern_store_bytes')).toBeGreaterThan(0);
    expect(found.get('process_resident_memory_bytes')).toBeGreaterThan(0);
  });

  test('does not exist unless it is on', async () => {
    await using appliance = await startAppliance();
    expect((await appliance.request('GET', '/metrics')).status).toBe(404);
    expect(appliance.services.meters.text()).toBeNull();
  });

  test('is served only to allowed networks, and to nobody behind an unknown proxy', async () => {
    await using appliance = await startAppliance({ settings: { metrics: 'on' } });
    const statusWith = async (headers: Record<string, string>) =>
      (await appliance.request('GET', '/metrics', { headers })).status;
    expect(await statusWith({})).toBe(200);
    for (const name of ['X-Forwarded-For', 'Forwarded', 'Via', 'X-Real-IP'])
      expect([name, await statusWith({ [name]: '127.0.0.1' })]).toEqual([name, 404]);

    const settings = { metrics: 'on', trusted_proxies: '127.0.0.1/32', metrics_networks: '192.0.2.0/24' };
    await using proxied = await startAppliance({ settings });
    const asks = async (from: string) =>
      (await proxied.request('GET', '/metrics', { headers: { 'X-Forwarded-For': from } })).status;
    expect([await asks('192.0.2.9'), await asks('198.51.100.1')]).toEqual([200, 404]);
    expect((await proxied.request('GET', '/metrics')).status).toBe(404);
  });

  test('counts webhook attempts by outcome', async () => {
    await using one = await startHooked({ settings: { metrics: 'on' } });
    await one.hooked.arrive();
    await one.hooked.attempted(1);
    const found = await scrape(one.appliance);
    expect(found.get('postern_webhook_attempts_total{outcome="delivered"}')).toBe(1);
    expect(found.get('postern_webhook_attempt_seconds_count')).toBe(1);
  });

  test('counts sent email by the outcome for each recipient, and queued email', async () => {
    const far = { onRcpt: (to: string) => (to.startsWith('later') ? '450 4.2.1 later' : null) };
    await using sender = await startSendingServer({ settings: { metrics: 'on' }, far });
    const id = await sender.queue(['ann@far.test', 'later@far.test']);
    await until(() => sender.status(id).includes('sent') && sender.recipients(id)[1]?.attempts === 1);
    const found = await scrape(sender.appliance);
    expect(found.get('postern_outbound_attempts_total{status="sent"}')).toBe(1);
    expect(found.get('postern_outbound_attempts_total{status="queued"}')).toBe(1);
    expect(found.get('postern_outbound_queue')).toBe(1);
  });

  test('serves the CPU time as a counter, with its value at each scrape', async () => {
    const meters = prometheusMeters();
    let seconds = 1.5;
    meters.gauge('process_cpu_seconds_total', () => seconds);
    const typed = '# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total ';
    expect(await meters.text()).toContain(`${typed}1.5\n`);
    seconds = 1.75;
    expect(await meters.text()).toContain(`${typed}1.75\n`);
  });

  test('leaves out a gauge that can’t be read, and serves the rest', async () => {
    const meters = prometheusMeters();
    meters.gauge('store_bytes', () => {
      throw new Error('closed');
    });
    meters.gauge('waits_open', () => 3);
    const text = await meters.text();
    expect(text).toContain('postern_waits_open 3');
    expect(text).not.toContain('postern_store_bytes 0');
  });
});

describe('names of metrics', () => {
  const rules = Object.entries(metrics) as [MetricName, MetricRule][];

  /** Returns every name that a query may use. */
  const known = new Set(
    rules.flatMap(([name, { type }]) => {
      const wire = metricName(name);
      return type === 'histogram' ? [`${wire}_bucket`, `${wire}_sum`, `${wire}_count`] : [wire];
    }),
  );
  const named = (file: string) => {
    const text = readFileSync(join(root, 'monitoring', file), 'utf8');
    return [...new Set(text.match(/\b(postern|process)_[a-z_]+\b(?=[{[ ")])/g))];
  };

  test('in the dashboard and the alerts are all served', () => {
    for (const file of ['grafana.json', 'alerts.yml']) {
      expect(named(file).length).toBeGreaterThan(3);
      expect(named(file).filter((name) => !known.has(name))).toEqual([]);
    }
  });

  test('are all in the dashboard, except those that no panel needs', () => {
    const unseen = rules
      .map(([name, { type }]) => metricName(name) + (type === 'histogram' ? '_bucket' : ''))
      .filter((wire) => !named('grafana.json').includes(wire));
    expect(unseen.sort()).toEqual(['postern_mail_bytes_total', 'process_start_time_seconds']);
  });

  test('follow the conventions: counters end in _total, times are seconds, labels are few', () => {
    for (const [name, { type, labels = [] }] of rules) {
      expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
      expect(labels.length).toBeLessThan(3);
    }
  });
});

test('queues are counted with their indexes', async () => {
  await using appliance = await startAppliance();
  for (const [statement, index] of [
    [PENDING, 'delivery_due'],
    [WAITING_RECIPIENTS, 'outbound_recipient_due'],
  ] as const) {
    expect(explainPlan(appliance, statement)).toContain(`INDEX ${index}`);
  }
});
