import { statSync } from 'node:fs';

const OWN_FILE = '/proc/self/exe';

/**
 * Returns the command that starts another process of this version. After an upgrade, another version, or none, is at
 * the program's path while this one keeps serving. The two may not understand each other, so the new process runs the
 * file that this one was started from.
 */
export function keepVersion(command: readonly string[]): string[] {
  const [program = '', ...rest] = command;
  return program !== process.execPath || isUnchanged(program) ? [...command] : [OWN_FILE, ...rest];
}

/** Whether this version is still at the path. The path is then preferred, because processes are listed by it. */
function isUnchanged(program: string): boolean {
  const own = statSync(OWN_FILE, { throwIfNoEntry: false });
  // Only Linux has that file.
  if (!own) return true;
  const there = statSync(program, { throwIfNoEntry: false });
  return there?.ino === own.ino && there.dev === own.dev;
}
