/** The entry point: runs a role or a command by its arguments, and loads only what that needs. */
import { basename } from 'node:path';

// Under a link named sendmail, the program acts as /usr/sbin/sendmail.
const asSendmail = basename(process.argv0) === 'sendmail';
const argv = [...(asSendmail ? ['sendmail'] : []), ...Bun.argv.slice(2)];

const readsMail = argv[0] === '--role=parser' || argv[0] === '--role=checker';
if (readsMail) (await import('./platform/system/capabilities.ts')).startWithoutCapabilities();

if (argv[0] === '--role=parser') {
  await import('./app/parser-process.ts');
} else if (argv[0] === '--role=checker') {
  await import('./app/checker-process.ts');
} else if (argv[0] === '--role=folder') {
  await import('./doors/operator/folder-process.ts');
} else {
  const isServer = argv[0] === 'serve' || argv[0] === 'capture';
  if (isServer) (await import('./app/start-bounded.ts')).startBounded();
  const { runCommandLine } = await import('./doors/operator/command-line.ts');
  const { watchOutput } = await import('./doors/operator/output.ts');
  const output = watchOutput(isServer);
  const status = await runCommandLine(argv);
  await output.finish();
  process.exit(status);
}
