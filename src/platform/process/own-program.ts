import { statSync } from 'node:fs';

const OWN_FILE = '/proc/self/exe';

/**
 * The command for another process of this program. After an upgrade, the program's path has another version, or none,
 * while this one keeps serving. The two may not understand each other, so the new process runs this one's own file.
 */
export function keepVersion(command: readonly string[]): string[] {
  const [program = '', ...rest] = command;
  return program !== process.execPath || isUnchanged(program) ? [...command] : [OWN_FILE, ...rest];
}

/** Whether the path still has this version. Then it is preferred, so that the process is listed by its name. */
function isUnchanged(program: string): boolean {
  const own = statSync(OWN_FILE, { throwIfNoEntry: false });
  // Not Linux.
  if (!own) return true;
  const there = statSync(program, { throwIfNoEntry: false });
  return there?.ino === own.ino && there.dev === own.dev;
}
