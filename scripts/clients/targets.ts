/** How each client is generated from the OpenAPI document, and how its smoke program is built and run. */
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchGenerator, installPythonTool, mustRun, run, versions } from './tools.ts';

export interface Target {
  /** Whether it is part of a release. Other clients only show that a generator accepts the document. */
  isReleased: boolean;
  /** Commands that the smoke program needs. If one is missing, it is skipped. */
  needs: readonly string[];
  /** Writes the client into the folder, which is empty. */
  generate(document: string, folder: string): Promise<void>;
  /** Runs the smoke program against a server and returns its output. `work` is an empty folder. */
  smoke(folder: string, work: string, env: Record<string, string>): Promise<string>;
}

const smokes = join(import.meta.dir, 'smoke');

/** Runs openapi-generator, without the test stubs that it would write. */
async function generate(
  document: string,
  folder: string,
  language: string,
  ...more: string[]
): Promise<void> {
  const jar = await fetchGenerator();
  const parts = 'apis,models,supportingFiles,apiTests=false,modelTests=false,skipFormModel=false';
  await mustRun([
    'java',
    '-jar',
    jar,
    'generate',
    '--generator-name',
    language,
    '--input-spec',
    document,
    '--output',
    folder,
    '--global-property',
    parts,
    ...more,
  ]);
}

const properties = (...pairs: string[]) =>
  `--additional-properties=hideGenerationTimestamp=true,${pairs.join()}`;

const go: Target = {
  isReleased: true,
  needs: ['go'],
  async generate(document, folder) {
    const config = join(folder, 'oapi-codegen.json');
    // Without skip-prune, it drops the schemas that only webhooks use, but still refers to them.
    const options = {
      package: 'postern',
      generate: { models: true, client: true },
      'output-options': { 'skip-prune': true },
      output: join(folder, 'postern.gen.go'),
    };
    writeFileSync(config, JSON.stringify(options));
    writeFileSync(join(folder, 'go.mod'), 'module postern\n\ngo 1.24\n');
    const tool = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@${versions['oapi-codegen']}`;
    await mustRun(['go', 'run', tool, '-config', config, document], { cwd: folder });
    await Bun.file(config).delete();
    await mustRun(['go', 'mod', 'tidy'], { cwd: folder });
  },
  async smoke(folder, work, env) {
    cpSync(join(smokes, 'go'), work, { recursive: true });
    const replace = `require postern v0.0.0\nreplace postern => ${folder}\n`;
    writeFileSync(join(work, 'go.mod'), `module smoke\n\ngo 1.24\n\n${replace}`);
    await mustRun(['go', 'mod', 'tidy'], { cwd: work });
    await mustRun(['go', 'vet', './...'], { cwd: folder });
    return mustRun(['go', 'run', '.'], { cwd: work, env });
  },
};

const java: Target = {
  isReleased: true,
  needs: ['mvn', 'javac'],
  generate: (document, folder) =>
    generate(
      document,
      folder,
      'java',
      '--library',
      'native',
      properties(
        'openApiNullable=false',
        'groupId=postern',
        'artifactId=postern-client',
        'invokerPackage=postern',
        'apiPackage=postern.api',
        'modelPackage=postern.model',
        'useSingleRequestParameter=true',
      ),
    ),
  async smoke(folder, work, env) {
    cpSync(folder, join(work, 'client'), { recursive: true });
    const cwd = join(work, 'client');
    const skipped = ['-DskipTests', '-Dmaven.javadoc.skip=true', '-Dmaven.source.skip=true'];
    await mustRun(['mvn', '-q', '-B', ...skipped, 'package', 'dependency:copy-dependencies'], { cwd });
    const path = `${cwd}/target/classes:${cwd}/target/dependency/*`;
    return mustRun(['java', '-cp', path, join(smokes, 'java/Smoke.java')], { cwd: work, env });
  },
};

/** The library that the PHP client needs, from Debian's package. */
const DEBIAN_GUZZLE = '/usr/share/php/GuzzleHttp/autoload.php';

const php: Target = {
  isReleased: true,
  needs: ['php'],
  async generate(document, folder) {
    const names = properties('invokerPackage=Postern', 'composerPackageName=postern/client');
    await generate(document, folder, 'php', names);
    // By default, the client writes true as 1 in a query, which the API refuses.
    const path = join(folder, 'lib/Configuration.php');
    const text = await Bun.file(path).text();
    const field = '$booleanFormatForQueryString = self::BOOLEAN_FORMAT_';
    if (!text.includes(`${field}INT`)) throw new Error(`${path} has no ${field}INT`);
    writeFileSync(path, text.replace(`${field}INT`, `${field}STRING`));
  },
  async smoke(folder, work, env) {
    cpSync(folder, work, { recursive: true });
    if (existsSync(DEBIAN_GUZZLE)) {
      const load =
        "fn($class) => @include __DIR__ . '/../lib/' . strtr(substr($class, 8), '\\\\', '/') . '.php'";
      mkdirSync(join(work, 'vendor'), { recursive: true });
      const text = `<?php\nrequire '${DEBIAN_GUZZLE}';\nspl_autoload_register(${load});\n`;
      writeFileSync(join(work, 'vendor/autoload.php'), text);
    } else {
      const quiet = { COMPOSER_ALLOW_SUPERUSER: '1' };
      await mustRun(['composer', 'install', '--no-dev', '--no-interaction', '--quiet'], {
        cwd: work,
        env: quiet,
      });
    }
    await mustRun(['sh', '-c', 'find lib -name "*.php" -exec php -l {} + >/dev/null'], { cwd: work });
    cpSync(join(smokes, 'php/smoke.php'), join(work, 'smoke.php'));
    return mustRun(['php', 'smoke.php'], { cwd: work, env });
  },
};

const ruby: Target = {
  isReleased: true,
  needs: ['ruby'],
  generate: (document, folder) =>
    generate(document, folder, 'ruby', properties('gemName=postern_client', 'moduleName=Postern')),
  async smoke(folder, work, env) {
    // Debian has packages of both libraries.
    const { exitCode } = await run(['ruby', '-e', "require 'typhoeus'; require 'marcel'"]);
    const gems = ['gem', 'install', '--no-document', '--install-dir', work, 'typhoeus', 'marcel'];
    if (exitCode !== 0) await mustRun(gems);
    const path: Record<string, string> = exitCode === 0 ? {} : { GEM_PATH: work };
    const smoke = join(smokes, 'ruby/smoke.rb');
    return mustRun(['ruby', '-I', join(folder, 'lib'), smoke], { cwd: work, env: { ...path, ...env } });
  },
};

const typescript: Target = {
  isReleased: false,
  needs: ['npm'],
  async generate(document, folder) {
    const tool = `openapi-typescript@${versions['openapi-typescript']}`;
    await mustRun(['npx', '--yes', tool, document, '--output', join(folder, 'api.ts')]);
  },
  async smoke(folder, work, env) {
    cpSync(join(folder, 'api.ts'), join(work, 'api.ts'));
    cpSync(join(smokes, 'typescript/smoke.ts'), join(work, 'smoke.ts'));
    writeFileSync(join(work, 'package.json'), '{"type":"module"}');
    const libraries = [`openapi-fetch@${versions['openapi-fetch']}`, '@types/node', 'typescript'];
    await mustRun(['npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', ...libraries], {
      cwd: work,
    });
    const strict = [
      '--strict',
      '--noEmit',
      '--allowImportingTsExtensions',
      '--skipLibCheck',
      '--types',
      'node',
    ];
    const modules = ['--target', 'esnext', '--module', 'preserve'];
    await mustRun(['npx', 'tsc', ...strict, ...modules, 'smoke.ts'], { cwd: work });
    return mustRun([process.execPath, 'smoke.ts'], { cwd: work, env });
  },
};

const python: Target = {
  isReleased: false,
  needs: ['python3'],
  async generate(document, folder) {
    const tool = await installPythonTool('openapi-python-client');
    const config = join(folder, 'config.json');
    // The generator supports only JSON, text and octets.
    const contentTypeOverrides = {
      'message/rfc822': 'application/octet-stream',
      '*/*': 'application/octet-stream',
      'text/event-stream': 'text/plain',
    };
    writeFileSync(config, JSON.stringify({ content_type_overrides: contentTypeOverrides, post_hooks: [] }));
    const output = join(folder, 'postern_client');
    await mustRun([
      tool,
      'generate',
      '--path',
      document,
      '--meta',
      'none',
      '--output-path',
      output,
      '--config',
      config,
      '--fail-on-warning',
    ]);
    await Bun.file(config).delete();
    // Version 0.29.1 forgets an import where a body may have two media types.
    const batch = join(output, 'api/verification/verify_batch.py');
    const text = await Bun.file(batch).text();
    writeFileSync(batch, text.replace('import Response, UNSET', 'import Response, UNSET, Unset'));
  },
  async smoke(folder, work, env) {
    const tool = await installPythonTool('openapi-python-client');
    const interpreter = join(tool, '../python');
    mkdirSync(work, { recursive: true });
    const path = { PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' };
    const everything = 'import pkgutil, importlib, postern_client as p\n'.concat(
      'for m in pkgutil.walk_packages(p.__path__, "postern_client."): importlib.import_module(m.name)',
    );
    await mustRun([interpreter, '-c', everything], { cwd: work, env: path });
    return mustRun([interpreter, join(smokes, 'python/smoke.py')], { cwd: work, env: { ...path, ...env } });
  },
};

export const targets: Readonly<Record<string, Target>> = { go, java, php, ruby, typescript, python };
