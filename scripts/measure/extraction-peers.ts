/** Public code extractors, for comparison in the same run; installed into .tools when first needed. */
import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import type { MailParts } from '../../src/platform/mail/extract/reading.ts';
import { readMail } from '../../src/platform/mail/extract/reading.ts';

const root = resolve(import.meta.dir, '../..');

export interface Peer {
  name: string;
  otp(mail: MailParts): string | null;
}

/** The pattern that most guides to testing with mail suggest. */
const sixDigits: Peer = {
  name: 'the pattern \\b\\d{6}\\b',
  otp: (mail) => /\b\d{6}\b/.exec(readVisible(mail))?.[0] ?? null,
};

/** Returns the pattern and both libraries, without those that can't be installed. */
export function peers(): Peer[] {
  const detector = load('@onedaydevelopers/otp-detector', '1.1.1');
  const parse = load('parse-otp-message', '1.0.2');
  if (!detector || !parse) return [sixDigits];
  const { extractOTPFromEmail } = detector as { extractOTPFromEmail: (mail: MailParts) => string | null };
  const parseMessage = parse as (message: string) => { code?: string } | undefined;
  return [
    sixDigits,
    { name: '@onedaydevelopers/otp-detector', otp: (mail) => extractOTPFromEmail(mail) ?? null },
    // It reads a single text, so it gets what a person sees, which is more than it would find by itself.
    { name: 'parse-otp-message', otp: (mail) => parseMessage(readVisible(mail))?.code ?? null },
  ];
}

function readVisible(mail: MailParts): string {
  return [mail.subject, ...readMail(mail).body.lines.map(({ text }) => text)].join('\n');
}

function load(name: string, version: string): unknown {
  const dir = join(root, '.tools', `${name.replace(/[@/]/g, '_')}-${version}`);
  if (!existsSync(join(dir, 'node_modules', name))) {
    mkdirSync(dir, { recursive: true });
    const flags = ['--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
    const done = Bun.spawnSync(['npm', 'install', ...flags, '--prefix', dir, `${name}@${version}`]);
    if (done.exitCode !== 0) return undefined;
  }
  return createRequire(join(dir, 'package.json'))(name);
}
