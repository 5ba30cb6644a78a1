/** A checker process that behaves as if it hit a hostile message, chosen by the client’s HELO name. */
import { decodeMessage, encodeVerdicts } from '../../../src/features/authenticity/protocol.ts';
import { openParent } from '../../../src/platform/process/parent.ts';

const parent = openParent((frames) => {
  for (const message of frames.map(decodeMessage)) {
    if ('piece' in message) continue;
    if (message.envelope_from === 'killer@example.org') process.exit(3);
    // The others are answered when no message that kills it is left.
    setTimeout(() => {
      const verdict = { result: 'pass' as const, domain: 'example.org', reason: null };
      const from = { domain: 'example.org', aligned: true };
      const authentication = { spf: verdict, dkim: [], dmarc: { ...verdict, policy: null }, from };
      parent.send([encodeVerdicts({ id: message.id, authentication })]);
    }, 50);
  }
});
