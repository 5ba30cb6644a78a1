/** Every command, in the order of help. */
import { account_commands } from './account.ts';
import { backup, restore } from './backup.ts';
import { capture } from './capture.ts';
import type { Command, StoreCommand } from './command.ts';
import { config } from './config.ts';
import { doctor } from './doctor.ts';
import { domain_commands } from './domain.ts';
import { key_commands } from './key.ts';
import { mail_commands } from './mail.ts';
import { member_commands } from './member.ts';
import { openapi } from './openapi.ts';
import { serve } from './serve.ts';
import { suppression_commands } from './suppression.ts';
import { version } from './version.ts';
import { webhook_commands } from './webhook.ts';

export const store_commands: readonly StoreCommand[] = [
  ...account_commands,
  ...member_commands,
  ...key_commands,
  ...webhook_commands,
  ...domain_commands,
  ...suppression_commands,
  doctor,
];

export const commands: readonly Command[] = [
  serve,
  capture,
  ...store_commands,
  ...mail_commands,
  backup,
  restore,
  config,
  openapi,
  version,
];
