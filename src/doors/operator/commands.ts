import { accountCommands } from './account.ts';
import { backup, restore } from './backup.ts';
import { capture } from './capture.ts';
import type { Command, StoreCommand } from './command.ts';
import { config } from './config.ts';
import { doctor } from './doctor.ts';
import { domainCommands } from './domain.ts';
import { keyCommands } from './key.ts';
import { mailCommands } from './mail.ts';
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
  ...storeCommands,
  ...mailCommands,
  backup,
  restore,
  config,
  openapi,
  version,
];
