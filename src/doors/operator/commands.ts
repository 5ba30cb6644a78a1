/** Every command, in the order of help. */
import { accountCommands } from './account.ts';
import { backup, restore } from './backup.ts';
import { capture } from './capture.ts';
import { ready } from './client/ready.ts';
import { send } from './client/send.ts';
import { sendmail } from './client/sendmail.ts';
import { wait } from './client/wait.ts';
import type { Command, StoreCommand } from './command.ts';
import { completion } from './completion.ts';
import { config } from './config.ts';
import { doctor } from './doctor.ts';
import { domainCommands } from './domain.ts';
import { keyCommands } from './key.ts';
import { mailCommands } from './mail.ts';
import { man } from './man.ts';
import { memberCommands } from './member.ts';
import { openapi } from './openapi.ts';
import { serve } from './serve.ts';
import { suppressionCommands } from './suppression.ts';
import { version } from './version.ts';
import { webhookCommands } from './webhook.ts';

export const storeCommands: readonly StoreCommand[] = [
  ...accountCommands,
  ...memberCommands,
  ...keyCommands,
  ...webhookCommands,
  ...domainCommands,
  ...suppressionCommands,
  doctor,
];

export const commands: readonly Command[] = [
  serve,
  capture,
  wait,
  send,
  sendmail,
  ready,
  ...storeCommands,
  ...mailCommands,
  backup,
  restore,
  config,
  openapi,
  completion,
  man,
  version,
];
