/** Prints the path of Pebble's executable, after building it if needed. */
import { buildGoProgram, goProgramPath, pebble } from '../go-program.ts';

const reason = buildGoProgram(pebble);
if (reason !== null) {
  console.error(reason);
  process.exit(1);
}
process.stdout.write(goProgramPath(pebble));
