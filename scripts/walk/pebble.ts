/** Prints the path of Pebble's executable, after building it if needed. */
import { buildGoProgram, goProgramPath, pebble } from '../go-program.ts';

const trouble = buildGoProgram(pebble);
if (trouble !== null) {
  console.error(trouble);
  process.exit(1);
}
process.stdout.write(goProgramPath(pebble));
