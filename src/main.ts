/** argv to a role or a command, nothing else. What a role does not need, it does not load. */
const argv = Bun.argv.slice(2);

if (argv[0] === '--role=parser') {
  await import('./parser-process.ts');
} else if (argv[0] === '--role=checker') {
  await import('./checker-process.ts');
} else if (argv[0] === '--role=folder') {
  await import('./operator/folder-process.ts');
} else {
  if (argv[0] === 'serve' || argv[0] === 'capture') (await import('./start-bounded.ts')).startBounded();
  const { runCommandLine } = await import('./operator/command-line.ts');
  const status = await runCommandLine(argv);
  // A pipe takes what was written before the process goes.
  await new Promise<void>((resolve) => process.stdout.end(() => resolve()));
  process.exit(status);
}
