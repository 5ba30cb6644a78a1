import type { OpenedMessage } from '../../doors/dashboard/wire.ts';
import { readAddress } from '../format.ts';

type Received = Pick<
  OpenedMessage,
  'to' | 'cc' | 'recipients' | 'envelope_recipient' | 'status' | 'truncated'
>;

/**
 * Recipients of the envelope that no header names, not even without their +tag. Empty if the headers were not read in
 * full, because then nothing is certain.
 */
export function listBlind({ to, cc, recipients, status, truncated }: Received): Received['recipients'] {
  if (status === 'failed' || truncated) return [];
  const named = new Set([...to, ...cc].map((address) => readAddress(address).toLowerCase()));
  return recipients.filter(({ address }) => {
    const lower = address.toLowerCase();
    return !named.has(lower) && !named.has(lower.replace(/\+[^@]*@/, '@'));
  });
}
