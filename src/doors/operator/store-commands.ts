/** The commands that a running server runs itself, in the order in which help lists them. */
import { accountCommands } from './account.ts';
import type { StoreCommand } from './command.ts';
import { doctor } from './doctor.ts';
import { domainCommands } from './domain.ts';
import { holdCommands } from './hold.ts';
import { keyCommands } from './key.ts';
import { memberCommands } from './member.ts';
import { senderCommands } from './senders.ts';
import { suppressionCommands } from './suppression.ts';
import { webhookCommands } from './webhook.ts';

export const storeCommands: readonly StoreCommand[] = [
  ...accountCommands,
  ...memberCommands,
  ...keyCommands,
  ...webhookCommands,
  ...senderCommands,
  ...domainCommands,
  ...suppressionCommands,
  ...holdCommands,
  doctor,
];
