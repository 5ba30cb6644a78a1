/** Every command, in the order in which help lists them. */
import { auditCommands } from './audit.ts';
import { backup, restore } from './backup.ts';
import { capture } from './capture.ts';
import { check } from './check.ts';
import { faultCommands } from './client/fault.ts';
import { mcp } from './client/mcp.ts';
import { ready } from './client/ready.ts';
import { ruleCommands } from './client/rule.ts';
import { search } from './client/search.ts';
import { send } from './client/send.ts';
import { sendmail } from './client/sendmail.ts';
import { wait } from './client/wait.ts';
import { watch } from './client/watch.ts';
import type { Command } from './command.ts';
import { completion } from './completion.ts';
import { config } from './config.ts';
import { mailCommands } from './mail.ts';
import { man } from './man.ts';
import { openapi } from './openapi.ts';
import { serve } from './serve.ts';
import { storeCommands } from './store-commands.ts';
import { upgrade } from './upgrade.ts';
import { version } from './version.ts';

export const commands: readonly Command[] = [
  serve,
  capture,
  wait,
  send,
  sendmail,
  watch,
  search,
  check,
  ready,
  mcp,
  ...faultCommands,
  ...ruleCommands,
  ...storeCommands,
  ...mailCommands,
  ...auditCommands,
  backup,
  restore,
  config,
  openapi,
  completion,
  man,
  upgrade,
  version,
];
