/** What a server prints when it is ready. */
import type { Appliance } from '../../app/app.ts';
import { formatHostPort, formatListen } from '../../platform/core/host-port.ts';
import type { Settings } from '../../platform/core/settings.ts';
import { mailers } from '../../rules/mailers.ts';
import { findBaseUrl } from './base-url.ts';
import type { DataFolder } from './data-folder.ts';
import { makePaint, type Paint } from './paint.ts';

export interface Started {
  appliance: Pick<Appliance, 'http' | 'smtp' | 'compat' | 'apiKey' | 'setUpPath'>;
  folder: Pick<DataFolder, 'path' | 'isThrownAway'>;
  settings: Settings;
  capture: boolean;
}

/** For programs: one line of JSON. `smtp` is the first listener without implicit TLS. */
export function formatReadyLine({ appliance, capture }: Started): string {
  const { http, smtp, compat, apiKey } = appliance;
  const plain = smtp.find(({ tls }) => !tls) ?? smtp[0];
  const ready = {
    event: 'ready',
    http: http?.url ?? null,
    smtp: plain ? formatHostPort(plain) : null,
    pid: process.pid,
    ...(smtp.length > 1 && { smtp_listen: smtp.map(formatListen) }),
    ...(compat && { compat: compat.url }),
    ...(capture && { api_key: apiKey }),
  };
  return `${JSON.stringify(ready)}\n`;
}

/** For people. */
export function formatBanner(started: Started, colour: boolean): string {
  const { appliance, folder, settings, capture } = started;
  const bold = makePaint(colour, '1');
  const grey = makePaint(colour, '90');
  const green = makePaint(colour, '32');
  const url = findBaseUrl(settings, appliance.http?.url ?? null);
  const smtp = appliance.smtp.map(formatListen).join(', ');
  const rows: [string, string, string][] = [
    ['SMTP', smtp, capture ? 'any recipient, any user and password' : `mail for ${settings.mail_domain}`],
    ['HTTP', url, `open it in a browser; the API is under ${url}/api/v1`],
  ];
  if (appliance.compat) rows.push(['Compat', appliance.compat.url, 'answers as Mailpit and MailHog do']);
  if (appliance.apiKey) {
    const isOpen = settings.capture_open;
    const isNeeded = settings.trap_networks ? 'needed except from loopback' : 'not needed on this machine';
    rows.push(['API key', appliance.apiKey, isOpen ? isNeeded : '']);
    if (!isOpen || settings.trap_networks) rows.push(['Sign in', `${url}/?key=${appliance.apiKey}`, '']);
  }
  rows.push(['Data', folder.path, folder.isThrownAway ? 'removed on exit' : '']);
  const lines = rows.map(([name, value, note]) =>
    `  ${grey(name.padEnd(8))} ${green(value)}${note && `  ${grey(note)}`}`.trimEnd(),
  );
  const title = capture ? formatCaptureTitle(settings) : 'Postern is ready.';
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

/** The title says so if mail may leave the machine. */
function formatCaptureTitle({ release_smarthost, release_allow }: Settings): string {
  if (release_smarthost === null || release_allow === null)
    return 'Postern catches your test mail; nothing leaves this machine.';
  return `Postern catches your test mail; what you release goes to ${release_allow.join(', ')} through ${new URL(release_smarthost).host}.`;
}

/** Settings to paste into an app, and the commands that send a first mail and read its code. */
function listFirstSteps({ appliance, settings }: Started, url: string, grey: Paint): string[] {
  const plain = appliance.smtp.find(({ tls }) => !tls);
  // A client on another network needs the key, such as the host of a container.
  const isOpen = settings.capture_open && !settings.trap_networks;
  const auth = isOpen ? '' : `-H 'Authorization: Bearer ${appliance.apiKey}' `;
  const lines: string[] = [];
  if (plain) {
    const reachable = plain.host === '0.0.0.0' ? '127.0.0.1' : plain.host;
    const host = reachable === '127.0.0.1' ? 'localhost' : plain.host;
    lines.push(grey('  Settings for your app:'), ...listAppSettings(host, plain.port), '');
    lines.push(
      grey('  Send a mail:'),
      `  printf 'From: app@example.com\\r\\nTo: you@example.com\\r\\nSubject: Hello\\r\\n\\r\\nYour code is 123456\\r\\n' | curl -sS ${quoteUrl(`smtp://${formatHostPort({ ...plain, host: reachable })}`)} --mail-from app@example.com --mail-rcpt you@example.com -T -`,
    );
  }
  lines.push(
    grey('  Read the newest message for an address:'),
    `  curl -sS ${auth}${quoteUrl(`${url}/api/v1/inboxes/you@example.com/messages/latest`)}`,
    '',
    grey('  Stop with Ctrl-C.'),
    '',
  );
  return lines;
}

/** Quotes an IPv6 URL for pasting: zsh reads its brackets as a file pattern. */
function quoteUrl(url: string): string {
  return url.includes('[') ? `'${url}'` : url;
}

/** The SMTP settings in the notation of each framework. */
function listAppSettings(host: string, port: number): string[] {
  return mailers.map(({ name, write }) => `  ${name.padEnd(9)} ${write({ host, port })}`);
}

function listNewcomerSteps(setUpPath: string | null, url: string, grey: Paint): string[] {
  const lines = [grey('  No accounts yet? postern account create --email you@example.com'), ''];
  if (setUpPath === null) return lines;
  return [`  Set up your sign-in to the dashboard, once: ${url}${setUpPath}`, ...lines];
}
