/** Every command, in the order of help. */
import { backup, restore } from './backup.ts';
import { capture } from './capture.ts';
import type { Command } from './command.ts';
import { config } from './config.ts';
import { mailCommands } from './mail.ts';
import { openapi } from './openapi.ts';
import { serve } from './serve.ts';
import { storeCommands } from './store-commands.ts';
import { version } from './version.ts';

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
