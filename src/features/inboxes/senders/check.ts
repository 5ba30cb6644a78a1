import { type FieldReasons, fail, failField } from '../../../platform/core/failure.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { SENDER_ENTRIES_MAX, type SenderMode } from '../../../rules/senders.ts';
import { readEntry } from './entry.ts';
import type { SenderLists } from './sql.ts';

/** Wrong entries reported for each list. A thousand reasons would make the response as large as the request. */
const REASONS_MAX = 20;

/** Returns the lists in their stored form. Throws validation_error that names wrong entries by their position. */
export function checkSenders(
  { settings }: Pick<PlatformServices, 'settings'>,
  { mode, allow, block }: { mode: SenderMode; allow: readonly string[]; block: readonly string[] },
): SenderLists {
  if (mode === 'allowed_only' && settings.authentication === 'off') {
    failField('mode', 'needs the check of senders, which is off on this server (POSTERN_AUTHENTICATION)');
  }
  if (allow.length + block.length > SENDER_ENTRIES_MAX) {
    failField('allow', `has more than ${SENDER_ENTRIES_MAX} entries together with block`);
  }
  const fields: FieldReasons = {};
  const allowed = readList('allow', allow, fields);
  const blocked = readList('block', block, fields);
  for (const [entry, index] of blocked) {
    if (allowed.has(entry)) refuse(fields, 'block', index, 'is in allow too');
  }
  if (Object.keys(fields).length > 0) fail('validation_error', { fields });
  return { mode, allow: [...allowed.keys()], block: [...blocked.keys()] };
}

/** Returns the entries of a list, each with its position. Adds the reasons of wrong ones to `fields`. */
function readList(
  list: 'allow' | 'block',
  written: readonly string[],
  fields: FieldReasons,
): Map<string, number> {
  const found = new Map<string, number>();
  for (const [index, text] of written.entries()) {
    const read = readEntry(text, list);
    if ('fault' in read) refuse(fields, list, index, read.fault);
    else if (!found.has(read.entry)) found.set(read.entry, index);
  }
  return found;
}

function refuse(fields: FieldReasons, list: 'allow' | 'block', index: number, fault: string): void {
  const reasons = fields[list] ?? [];
  if (reasons.length < REASONS_MAX) fields[list] = [...reasons, `entry ${index + 1} ${fault}`];
}
