/** Ends a script with a message, which is on standard output if all is well. */
export function stop(message: string, exitCode: number): never {
  (exitCode === 0 ? console.log : console.error)(message);
  process.exit(exitCode);
}
