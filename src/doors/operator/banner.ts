/** What a server prints when it is ready. */
import type { Appliance } from '../../app/app.ts';
import { isoTime } from '../../platform/core/clock.ts';
import { formatHostPort } from '../../platform/core/host-port.ts';
import type { Settings } from '../../platform/core/settings.ts';
import type { Arrival } from '../../platform/services.ts';
import type { DataFolder } from './data-folder.ts';
import { plainLine } from './plain-text.ts';
import { baseUrl } from './run-store-command.ts';

export interface Started {
  appliance: Pick<Appliance, 'http' | 'smtp' | 'api_key' | 'setUpPath'>;
  folder: Pick<DataFolder, 'path' | 'throwaway'>;
  settings: Settings;
  capture: boolean;
}

/** For programs: one line of JSON. `smtp` is the first listener without implicit TLS. */
export function formatReadyLine({ appliance, capture }: Started): string {
  const { http, smtp, api_key } = appliance;
  const stripControls = smtp.find(({ tls }) => !tls) ?? smtp[0];
  const ready = {
    event: 'ready',
    http: http?.url ?? null,
    smtp: stripControls ? formatHostPort(stripControls) : null,
    pid: process.pid,
    ...(smtp.length > 1 && { smtp_listen: smtp.map(formatAddress) }),
    ...(capture && { api_key }),
  };
  return `${JSON.stringify(ready)}\n`;
}

/** For people. */
export function formatBanner(started: Started, colour: boolean): string {
  const { appliance, folder, settings, capture } = started;
  const bold = makePaint(colour, '1');
  const grey = makePaint(colour, '90');
  const green = makePaint(colour, '32');
  const url = baseUrl(settings, appliance.http?.url ?? null);
  const smtp = appliance.smtp.map(formatAddress).join(', ');
  const rows: [string, string, string][] = [
    ['SMTP', smtp, capture ? 'any recipient, any user and password' : `mail for ${settings.mail_domain}`],
    ['HTTP', url, `open it in a browser; the API is under ${url}/api/v1`],
  ];
  if (appliance.api_key) rows.push(['API key', appliance.api_key, '']);
  rows.push(['Data', folder.path, folder.throwaway ? 'removed on exit' : '']);
  const lines = rows.map(([name, value, note]) =>
    `  ${grey(name.padEnd(8))} ${green(value)}${note && `  ${grey(note)}`}`.trimEnd(),
  );
  const title = capture
    ? 'Postern catches your test mail; nothing leaves this machine.'
    : 'Postern is ready.';
  return [
    '',
    bold(title),
    '',
    ...lines,
    '',
    ...(capture ? listFirstSteps(started, url, grey) : listNewcomerSteps(appliance.setUpPath, url, grey)),
    '',
  ].join('\n');
}

type ShownArrival = Pick<Arrival, 'received_at' | 'otp' | 'envelope_recipient' | 'subject' | 'from'>;

/** A mail that has just arrived; a stranger's text can't move the cursor. */
export function formatArrival(arrival: ShownArrival, colour: boolean): string {
  const grey = makePaint(colour, '90');
  const green = makePaint(colour, '32');
  const time = isoTime(arrival.received_at).slice(11, 19);
  const code = arrival.otp === null ? '' : `  ${green(plainLine(arrival.otp))}`;
  const subject = plainLine(arrival.subject) || grey('(no subject)');
  return `${grey(time)}  ${green(plainLine(arrival.envelope_recipient))}  ${subject}${code}  ${grey(`from ${plainLine(arrival.from) || 'nobody'}`)}\n`;
}

/** Lines to paste: one sends a mail, one reads it back. */
function listFirstSteps({ appliance }: Started, url: string, grey: Paint): string[] {
  const plain = appliance.smtp.find(({ tls }) => !tls);
  const auth = `-H 'Authorization: Bearer ${appliance.api_key}'`;
  const lines: string[] = [];
  if (plain) {
    lines.push(
      grey('  Send a mail:'),
      `  printf 'From: app@example.com\\r\\nTo: you@example.com\\r\\nSubject: Hello\\r\\n\\r\\nYour code is 123456\\r\\n' | curl -sS smtp://${formatHostPort(plain)} --mail-from app@example.com --mail-rcpt you@example.com -T -`,
    );
  }
  lines.push(
    grey('  Read the newest message for an address:'),
    `  curl -sS ${auth} ${url}/api/v1/inboxes/you@example.com/messages/latest`,
    '',
    grey('  Stop with Ctrl-C.'),
    '',
  );
  return lines;
}

function listNewcomerSteps(setUpPath: string | null, url: string, grey: Paint): string[] {
  const lines = [grey('  No accounts yet? postern account create --email you@example.com'), ''];
  if (setUpPath === null) return lines;
  return [`  Set a password for the dashboard, once: ${url}${setUpPath}`, ...lines];
}

type Paint = (text: string) => string;

function makePaint(colour: boolean, code: string): Paint {
  return (text) => (colour && text !== '' ? `\x1b[${code}m${text}\x1b[0m` : text);
}

function formatAddress(listen: { host: string; port: number; tls: boolean }): string {
  return `${listen.tls ? 'tls://' : ''}${formatHostPort(listen)}`;
}
