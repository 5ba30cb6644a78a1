/** The project's own rules: imports, owners, sizes, names, and correct documents. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { findCycles } from './tidy/cycles.ts';
import {
  documents,
  isThere,
  isThereInFull,
  linksIn,
  listAnchors,
  pathsIn,
  pathsInCommentLines,
  pathsInComments,
  readText,
} from './tidy/documents.ts';
import * as house from './tidy/house.ts';
import { filesBelow, type Import, readSource, root, type Source } from './tidy/source.ts';

const isCode = (path: string) => /\.(ts|tsx|mjs)$/.test(path);
const folders = ['src', 'test', 'scripts', 'clients/typescript/src'];
const sources = folders.flatMap(filesBelow).filter(isCode).map(readSource);
const ours = sources.filter(({ path }) => path.startsWith('src/') && !path.endsWith('.d.ts'));

/** Expects no violations. A failure shows all of them, a line each. */
function faults(found: (string | false | undefined)[]): void {
  expect(found.filter(Boolean)).toEqual([]);
}

/**
 * Returns the path without the kind of code: `accounts/sql.ts` for src/features/accounts/sql.ts, `jobs.ts` for
 * src/app/jobs.ts.
 */
function findPlace(path: string): string {
  return path.replace(/^src\/(?:(?:app|doors|features|platform(?=\/\w+\/))\/)?/, '');
}

/** Returns the row of `mayImport` that applies to a file: its folder, or its own name outside of any folder. */
function findRoom(path: string): string {
  return findPlace(path).split('/')[0] ?? '';
}

function eachImport(check: (source: Source, one: Import) => string | false | undefined) {
  return ours.flatMap((source) =>
    source.imports.map((one) => {
      const fault = check(source, one);
      return fault && `${source.path}:${one.line} imports ${one.from}: ${fault}`;
    }),
  );
}

describe('imports', () => {
  test('go down the layers, and among features only to earlier ones', () => {
    faults(
      eachImport((source, { file, typeOnly }) => {
        if (!file?.startsWith('src/')) return;
        const [from, to] = [findRoom(source.path), findRoom(file)];
        if (from === to || (from === 'web' && typeOnly && house.pagesMayType.test(file))) return;
        const more = house.features.includes(from) ? house.moreFor[basename(source.path)] : [];
        const allowed = house.mayImport[from]?.concat(more ?? []);
        if (!allowed) return `${from} has no row in test/tidy/house.ts`;
        return !allowed.includes(to) && `${from} may not import ${to}`;
      }),
    );
  });

  test('of a file that has only types are type imports', () => {
    faults(
      eachImport(
        (_, { file, typeOnly }) =>
          file !== undefined && house.typesOnly.includes(file) && !typeOnly && 'its types only',
      ),
    );
    const floors = ours.filter(({ path }) => house.typesOnly.includes(path));
    faults(
      floors.flatMap(({ path, imports }) => imports.map((one) => !one.typeOnly && `${path}: ${one.from}`)),
    );
  });

  test('of a library are only in the files that own it', () => {
    faults(
      eachImport((source, { from }) => {
        const library = /^(?:@[^/]+\/)?[^/]+/.exec(from)?.[0] ?? from;
        if (from.startsWith('.') || from.startsWith('node:') || from === 'bun') return;
        const owners = house.libraryOwners[library];
        if (!owners) return `${library} has no owner in test/tidy/house.ts`;
        const place = findPlace(source.path);
        const isOwner = owners.some((owner) =>
          owner.startsWith('*/') ? basename(place) === owner.slice(2) : place.startsWith(owner),
        );
        return !isOwner && `only ${owners.join(', ')} may import it`;
      }),
    );
  });

  test('of modules for files, sockets and processes are absent from pure code', () => {
    faults(
      eachImport((source, { from, typeOnly, names }) => {
        const isPure = house.pure.some((at) => findPlace(source.path).startsWith(at));
        if (!isPure || typeOnly || !house.impure.test(from)) return;
        return !names.every((name) => house.harmless.test(name)) && 'pure code has no input or output';
      }),
    );
  });

  test('of functions that change files stay in the module that flushes them', () => {
    const isFree = (path: string, name: string) =>
      path === house.durable || house.alsoChangesFiles[path]?.names.includes(name);
    faults(
      eachImport((source, { from, typeOnly, names }) => {
        if (typeOnly || !/^(node:)?fs(\/promises)?$/.test(from)) return;
        const strays = names.filter((name) => house.changesFiles.test(name) && !isFree(source.path, name));
        // A module loaded as a whole (import() or a namespace) shows no names.
        const isWhole = names.length === 0 && source.path !== house.durable;
        return (
          (strays.length > 0 || isWhole) && `${strays.join(', ') || 'all of it'}: ${house.durable} does that`
        );
      }),
    );
    faults(
      ours.map(
        ({ path, text }) =>
          /\bBun\.write\(/.test(text) && !isFree(path, 'Bun.write') && `${path} writes with Bun.write`,
      ),
    );
    const stale = Object.entries(house.alsoChangesFiles).flatMap(([path, { names }]) =>
      names.map((name) => !ours.find((one) => one.path === path)?.text.includes(name) && `${path}: ${name}`),
    );
    faults(stale);
  });

  test('form no cycle, inside a folder or across folders', () => {
    faults(findCycles(sources).map((cycle) => cycle.join(', ')));
    const [a, b] = ['a', 'b'].map((path, at) => ({ ...sources[0]!, path, imports: [{ file: 'ba'[at] }] }));
    expect(findCycles([a, b] as Source[])).toEqual([['a', 'b']]);
  });

  test('of the product stay within src, and never reach a test or a script', () => {
    faults(
      eachImport((_, { file }) => file !== undefined && /^(test|scripts)\//.test(file) && 'not the product'),
    );
  });
});

describe('SQL', () => {
  const statement =
    /^\s*(SELECT\s|INSERT\s+(OR\s+\w+\s+)?INTO\s|REPLACE\s+INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|WITH\s+(RECURSIVE\s+)?\w+\s*(\(|AS\b))/;

  test('is in sql.ts, writes.ts, jobs.ts and store/', () => {
    const strays = ours.filter(({ path }) => !house.sqlHomes.test(path));
    faults(
      strays.flatMap(({ path, texts }) =>
        texts.map(({ text, line }) => statement.test(text) && `${path}:${line} ${text.trim().slice(0, 40)}`),
      ),
    );
  });

  test('of tests is in store-state.ts, store-file.ts and the tests of the store', () => {
    const strays = sources.filter(({ path }) => path.startsWith('test/') && !house.testSqlHomes.test(path));
    faults(
      strays.map(({ path, text }) => /\.(sql|prepare)\(|'bun:sqlite'|EXPLAIN QUERY PLAN/.test(text) && path),
    );
  });

  test('writes a table only in the folder that schema.sql names as its owner', () => {
    const schema = readFileSync(join(root, 'schema.sql'), 'utf8');
    const owners = new Map(
      Array.from(
        schema.matchAll(/^-- (\w+)\/: (?:.*\n(?:--.*\n)*)CREATE (?:VIRTUAL )?TABLE (\w+)/gm),
        (found) => [found[2]!, found[1]!],
      ),
    );
    expect(owners.size).toBeGreaterThan(5);
    const write = /\b(?:INSERT\s+(?:OR\s+\w+\s+)?INTO|UPDATE|DELETE\s+FROM)\s+([a-z_]+)/g;
    faults(
      ours.flatMap(({ path, texts }) =>
        texts.flatMap(({ text, line }) =>
          Array.from(statement.test(text) ? text.matchAll(write) : [], ([, table = '']) => {
            const owner = owners.get(table);
            const writers = [owner, ...(house.alsoWrittenBy[table] ?? [])];
            return (
              owner &&
              !writers.includes(findRoom(path)) &&
              `${path}:${line} writes ${table}, which is ${owner}'s`
            );
          }),
        ),
      ),
    );
  });
});

describe('sizes', () => {
  test(`a file has at most ${house.FILE_LINES_MAX} lines`, () => {
    faults(
      sources.map(
        ({ path, lines }) =>
          lines > house.FILE_LINES_MAX && !house.longFiles.test(path) && `${path}: ${lines}`,
      ),
    );
  });

  test(`a function has at most ${house.FUNCTION_LINES_MAX} lines`, () => {
    faults(
      sources.flatMap(({ path, functions }) =>
        functions.map(
          ({ name, line, lines }) => lines > house.FUNCTION_LINES_MAX && `${path}:${line} ${name}: ${lines}`,
        ),
      ),
    );
  });
});

describe('names', () => {
  const paths = folders.flatMap(filesBelow);

  test('of files are kebab-case and meaningful', () => {
    faults(
      paths.map((path) => {
        const name = basename(path);
        const isScript = dirname(path) === 'scripts' && /^[a-z]+$/.test(name);
        if (!isScript && name !== 'README.md' && !house.fileName.test(name) && isCode(path)) return path;
        return house.wordsWithoutMeaning.test(path.replace(/^\w+\//, '')) && path;
      }),
    );
  });
});

test('the name of a function begins with a verb: `readText`, not `textOf`', () => {
  const isText = (path: string) => path.startsWith('src/web/words/');
  faults(
    sources.flatMap(({ path, functions }) =>
      functions.map(
        ({ name, line }) => /^[a-z]+Of$/.test(name) && !isText(path) && `${path}:${line}: ${name}`,
      ),
    ),
  );
});

test('no literal is spread into another only to change how it is formatted', () => {
  const bound = sources.filter(({ path }) => /^(src|scripts|test\/tidy)\//.test(path));
  faults(bound.flatMap(({ path, literalSpreads }) => literalSpreads.map((line) => `${path}:${line}`)));
});

describe('exported names', () => {
  // The pages are a separate program that only knows the server's answers.
  for (const isWeb of [false, true]) {
    test(`of the ${isWeb ? 'pages' : 'server'} each mean one thing`, () => {
      const places = new Map<string, Set<string>>();
      for (const { path, exported } of ours) {
        if (path.startsWith('src/web/') !== isWeb) continue;
        for (const name of exported) places.set(name, (places.get(name) ?? new Set()).add(path));
      }
      expect(places.size).toBeGreaterThan(50);
      faults(
        Array.from(places, ([name, { size }]) => size > 1 && `${name}: ${[...places.get(name)!].join(', ')}`),
      );
    });
  }
});

describe('source', () => {
  const everything: [string, RegExp][] = [
    ['test that is skipped or runs alone', /\b(test|describe|it)\.(only|skip|todo)\b/],
    ['ignored type error', /@ts-(ignore|nocheck)\b/],
    ['note about something left to do', /\b(TO[D]O|FIX[M]E|XX[X])\b/],
  ];
  for (const [what, pattern] of everything) {
    test(`contains no ${what}`, () => {
      faults(
        sources.flatMap(({ path, text }) =>
          text.split('\n').map((line, index) => pattern.test(line) && `${path}:${index + 1} ${line.trim()}`),
        ),
      );
    });
  }
});

test('shell scripts find their own folder whatever CDPATH is', () => {
  const scripts = ['scripts', 'containers', 'packaging', '.ci'].flatMap(filesBelow).concat('install.sh');
  faults(scripts.map((path) => /(?<!CDPATH='' )cd [^\n]*\$\(dirname/.test(readText(path)) && path));
});

test('no request URL is parsed with `new URL`, which throws for an invalid Host header', () => {
  faults(ours.map(({ path, text }) => /new URL\((request|req)\.url/.test(text) && path));
});

describe('state', () => {
  // A variable, or an empty collection that is filled later. In a browser, each page has its own modules.
  const shared =
    /^(export )?(let |const \w+(: [^=]+)? = (new (Map|Set)(<.*>)?\(\)|\[\]|\{\});)|new WeakMap\b/m;

  test('of an appliance is in its services, not in modules', () => {
    const found = ours.filter(({ path, text }) => !path.startsWith('src/web/') && shared.test(text));
    expect(found.map(({ path }) => path).sort()).toEqual(Object.keys(house.alsoShared).sort());
  });
});

describe('operations', () => {
  const listDeclared = (callee: string) =>
    ours
      .filter(({ path }) => path !== 'src/platform/store/operation.ts')
      .flatMap(({ namedCalls }) =>
        namedCalls.filter((call) => call.callee === callee).map(({ name }) => name),
      );

  test('that write are each registered with the writer thread, once', async () => {
    const { writes } = await import('../src/app/writes.ts');
    expect(writes.map(({ name }) => name).sort()).toEqual(
      ['writeOp', 'mailOp', 'auditedOp', 'jobOp', 'repeatableOp'].flatMap(listDeclared).sort(),
    );
  });

  test('that take long to read are each registered with the reader thread, once', async () => {
    const { reads } = await import('../src/app/reads.ts');
    expect(reads.map(({ name }) => name).sort()).toEqual(listDeclared('readOp').sort());
  });
});

describe('documents', () => {
  for (const document of documents) {
    test(`every path that ${document} names exists`, () => {
      faults(pathsIn(document).map((citation) => !isThereInFull(citation) && citation.cited));
    });

    test(`every link in ${document} leads to a file and a heading that exist`, () => {
      faults(
        linksIn(document).map(({ target, anchor }) => {
          if (!existsSync(join(root, target))) return target;
          return anchor !== '' && !listAnchors(target).includes(anchor) && `${target}#${anchor}`;
        }),
      );
    });
  }

  test('every path that a comment cites exists', () => {
    const cited = [...sources.flatMap(pathsInComments), ...pathsInCommentLines()];
    expect(cited.length).toBeGreaterThan(100);
    faults(cited.map((one) => !isThere(one) && `${one.where}: ${one.cited}`));
  });

  test('README.md is short enough to read in ten minutes', () => {
    expect(readText('README.md').split('\n').length).toBeLessThanOrEqual(150);
  });
});
