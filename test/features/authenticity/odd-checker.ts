/** A checker process that behaves as if it hit a hostile message, chosen by the client’s HELO name. */
import type { CheckerMessage } from '../../../src/features/authenticity/protocol.ts';

process.on('disconnect', () => process.exit(0));
process.on('message', (messages: CheckerMessage[]) => {
  for (const message of messages) {
    if ('piece' in message) continue;
    if (message.envelope_from === 'killer@example.org') process.exit(3);
    // The others are answered when no message that kills it is left.
    setTimeout(() => {
      const verdict = { result: 'pass', domain: 'example.org', reason: null };
      const authentication = { spf: verdict, dkim: [], dmarc: { ...verdict, policy: null } };
      process.send!([{ id: message.id, authentication }]);
    }, 50);
  }
});
