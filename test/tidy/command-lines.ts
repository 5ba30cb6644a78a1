/** Finds the commands of this program in documents and examples, split into words as a shell would. */
import { parseLine } from '../../src/doors/operator/arguments.ts';
import { commands } from '../../src/doors/operator/commands.ts';
import { knobs } from '../../src/platform/core/settings.ts';

/** Returns the bodies of a document's `sh` blocks, including those inside lists. */
export function shellBlocks(text: string): string[] {
  return Array.from(text.matchAll(/^( *)```(?:sh|bash)\n([\s\S]*?)^\1```/gm), ([, , body = '']) => body);
}

/** Returns the words of each simple command, without redirections and comments. `|`, `&`, `;` or a line end one. */
function splitShell(script: string): string[][] {
  const token =
    /\\\n|#.*|[|&;()\n]+|[<>]+&?[^\s|&;]*(?: *[^\s|&;]+)?|((?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s|&;()<>'"\\])+)/g;
  const all: string[][] = [[]];
  for (const [whole, word] of script.matchAll(token)) {
    if (word !== undefined) all.at(-1)!.push(word.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"/g, '$1$2'));
    else if (/^[|&;()\n]/.test(whole)) all.push([]);
  }
  return all.filter((words) => words.length > 0);
}

const isProgram = (word: string) => /^(?:\S*\/)?postern$/.test(word);
const wraps = /^(?:sudo|env|exec|run|timeout|[A-Z_]+=.*|\d+)$/;

/** Returns the arguments of each command that runs `postern`. */
export function programCalls(script: string): string[][] {
  return splitShell(script).flatMap((words) => {
    const start = words.findIndex((word) => !wraps.test(word));
    return isProgram(words[start] ?? '') && words.length > start + 1 ? [words.slice(start + 1)] : [];
  });
}

/** Returns the mistakes that the program would report in a command's words, without running it. */
export function findFaults(words: readonly string[]): string[] {
  if (/^(?:--|-h$|help$)/.test(words[0]!)) return [];
  const named = (count: number) => commands.find(({ name }) => name === words.slice(0, count).join(' '));
  const count = named(2) ? 2 : 1;
  const command = named(count);
  if (!command) return [`${words.join(' ')}: no such command`];
  if ('ownArguments' in command) return [];
  const { faults, settings } = parseLine(command, words.slice(count));
  const unknown = Object.keys(settings).filter((name) => !knobs.some((knob) => knob.name === name));
  return [...faults, ...unknown].map((fault) => `${words.join(' ')}: ${fault}`);
}
