import { statSync } from 'node:fs';

const OWN_FILE = '/proc/self/exe';

/**
 * The command for another process of this program. After an upgrade another version lies at the program's path, or none,
 * while this one serves on; the two may not understand each other, so the new process is made of this one's own file.
 */
export function keepVersion(command: readonly string[]): string[] {
  const [program = '', ...rest] = command;
  return program !== process.execPath || isUnchanged(program) ? [...command] : [OWN_FILE, ...rest];
}

/** The path is preferred where it is as good: the process is then listed by its name. */
function isUnchanged(program: string): boolean {
  const own = statSync(OWN_FILE, { throwIfNoEntry: false });
  // Not Linux.
  if (!own) return true;
  const there = statSync(program, { throwIfNoEntry: false });
  return there?.ino === own.ino && there.dev === own.dev;
}
