/** The architecture rules (src/README.md) as data: allowed imports, and the owner of each library. */

/** The features, in order: each may import those before it. */
export const features = [
  'audit',
  'accounts',
  'events',
  'inboxes',
  'registration',
  'domains',
  'messages',
  'checks',
  'waits',
  'outbound',
  'threads',
  'webhooks',
  'mail-rules',
  'verification',
  'faults',
  'ingest',
  'authenticity',
  'certificates',
  'doctor',
];

/** What each folder of src, or file outside of these, may import. A file without a row fails the test. */
// biome-ignore format: row by row
export const mayImport: Record<string, string[]> = {
  rules: [],
  core: ['rules'],
  process: ['core', 'system'],
  mail: ['core', 'rules', 'process'],
  files: ['core'],
  // The C library.
  system: [],
  net: ['core', 'rules', 'files', 'system'],
  store: ['core', 'rules', 'files', 'system'],
  // The files directly in platform/ (services.ts, job.ts), which every feature may import.
  platform: ['core', 'rules', 'store', 'mail', 'net'],
  http: ['core', 'rules', 'store', 'platform'],
  ...Object.fromEntries(
    features.map((name, index) => [
      name,
      ['core', 'rules', 'store', 'mail', 'net', 'process', 'platform', ...features.slice(0, index)],
    ]),
  ),
  smtp: ['core', 'rules', 'mail', 'net', 'platform', ...features],
  // The pages share the server's rules, which are pure, and use the types in `pagesMayType`.
  web: ['rules'],
  dashboard: ['core', 'rules', 'store', 'mail', 'net', 'platform', 'http', ...features],
  // It shows a mail in the dashboard's frame, and protects its listener in the same way.
  compat: ['core', 'rules', 'store', 'mail', 'net', 'platform', 'http', 'dashboard', ...features],
  // Tools for agents, which use only the API.
  mcp: ['core', 'mail', 'platform', 'http', ...features],
  operator: [
    'mcp', 'core', 'rules', 'files', 'system', 'store', 'mail', 'net', 'platform', 'http', ...features, 'app.ts', 'routes.ts',
  ],
  'writes.ts': ['http', 'store', ...features],
  'reads.ts': ['store', 'dashboard', 'compat', ...features],
  'services.ts': [
    'core', 'rules', 'files', 'store', 'net', 'http', 'smtp', 'dashboard', 'mcp', 'platform', ...features,
    'writes.ts',
  ],
  'jobs.ts': ['core', 'http', 'store', 'platform', ...features, 'services.ts'],
  'routes.ts': ['core', 'http', 'net', 'dashboard', 'mcp', ...features, 'services.ts'],
  'doors.ts': [
    'core', 'http', 'net', 'smtp', 'dashboard', 'mcp', 'compat', ...features, 'services.ts', 'routes.ts', 'jobs.ts',
  ],
  'app.ts': ['core', 'store', 'net', ...features, 'services.ts', 'doors.ts'],
  'writer-thread.ts': ['store', 'writes.ts'],
  'reader-thread.ts': ['store', 'reads.ts'],
  'start-bounded.ts': ['core', 'system'],
  'parser-process.ts': ['mail', 'process', 'core', 'rules'],
  'checker-process.ts': ['authenticity', 'mail', 'process', 'net'],
  'main.ts': ['operator', 'parser-process.ts', 'checker-process.ts', 'start-bounded.ts', 'core', 'system', 'rules'],
};

/** What a file with this name, in a feature, may import in addition. */
export const moreFor: Record<string, string[]> = {
  // HTTP routes may import any feature, and the HTTP platform.
  'routes.ts': ['http', ...features],
  // Query parameters of routes that have many.
  'query.ts': ['http'],
  // The events of webhooks, for the OpenAPI document.
  'event-specs.ts': ['http'],
  // What a request with an Idempotency-Key creates is written in the transaction that stores the key.
  'writes.ts': ['http'],
};

/** Files that any file may import, but only for their types. */
export const typesOnly = ['src/platform/services.ts'];

/** Files whose types the pages may import: API objects and the tables of rules. */
export const pagesMayType = /\/wire\.ts$|^src\/rules\//;

/** The files and folders of src that may import each library. */
export const libraryOwners: Record<string, string[]> = {
  elysia: ['http/', 'dashboard/'],
  'better-sqlite3': ['store/'],
  'smtp-server': ['smtp/'],
  mailparser: ['mail/mime/lenient-parser', 'mail/mime/slow-lane', 'mail/parse'],
  mailauth: ['authenticity/check'],
  htmlparser2: ['mail/checks/markup'],
  entities: ['mail/html/tag-reader', 'mail/html/strip-html'],
  '@csstools/css-tokenizer': ['mail/checks/styles', 'mail/checks/selectors'],
  '@zone-eu/mailsplit': ['mail/mime/fast-lane'],
  libqp: ['mail/mime/quoted-printable'],
  dns2: ['net/dns'],
  'prom-client': ['core/prometheus'],
  'ipaddr.js': ['net/address-bytes'],
  nodemailer: [
    'net/smtp-client',
    'net/submit',
    'mail/addresses',
    'mail/attachment-type',
    'mail/compose',
    'mail/sign',
  ],
  tldts: ['mail/domain-name'],
  'sanitize-html': ['mail/html/quotable-html', 'mail/html/safe-html'],
  '@modelcontextprotocol/server': ['mcp/', 'operator/client/mcp'],
  preact: ['web/'],
  '@preact/signals': ['web/'],
  'client-zip': ['web/mail/zip'],
  selfsigned: ['net/certificate'],
  otpauth: ['accounts/second-factor/totp'],
  '@simplewebauthn/server': ['accounts/passkeys/'],
  '@simplewebauthn/browser': ['web/passkey'],
  uqr: ['web/account/qr-code'],
  '@peculiar/x509': ['net/acme/signing-request'],
  'openid-client': ['accounts/oidc/'],
  zod: [
    'http/',
    'ingest/parser-answers.ts',
    'authenticity/answers.ts',
    '*/routes.ts',
    '*/query.ts',
    '*/wire.ts',
    '*/event-specs.ts',
    'dashboard/',
    'mcp/',
  ],
  'bun:ffi': ['system/', 'operator/sd-notify', 'net/descriptors'],
};

/** Folders without input or output: they may not import modules for files, sockets or processes. */
export const pure = ['rules/', 'core/', 'mail/'];
export const impure =
  /^(node:)?(fs|net|tls|http|https|dgram|dns|child_process|cluster|worker_threads)(\/|$)|^bun(:(?!test)|$)/;

/** Functions of such modules that only inspect a value. */
export const harmless = /^(isIP|isIPv4|isIPv6|BlockList)$/;

/** The only module that creates, writes, renames and hands over files and folders, because it knows what to flush and when. */
export const durable = 'src/platform/files/durable.ts';

/** Functions of node:fs and node:fs/promises that change files. `*` is the whole module. Others are unrestricted. */
export const changesFiles =
  /^(\*|default|promises|mkdir|mkdtemp|mkdtempDisposable|rename|copyFile|cp|link|symlink|write|writev|writeFile|appendFile|truncate|ftruncate|open|openAsBlob|createWriteStream|fsync|fdatasync|l?chown|fchown|l?chmod|fchmod|l?utimes|futimes)(Sync)?$/;

/** Files that may use some of these functions anyway, and why. */
export const alsoChangesFiles: Record<string, { names: string[]; why: string }> = {
  'src/doors/smtp/intake.ts': { names: ['open'], why: 'reads a spool file again' },
  'src/doors/smtp/spool-file.ts': { names: ['open'], why: 'a spool file, removed at the next start' },
  'src/app/parser-process.ts': { names: ['openSync'], why: 'reads the head of a spool file' },
  'src/platform/system/passed-files.ts': { names: ['openSync'], why: 'opens a spool file for a parser' },
  'src/features/ingest/import.ts': { names: ['Bun.write'], why: 'a spool file, removed at the next start' },
  'src/platform/store/restore.ts': { names: ['openSync'], why: 'reads the backup and the key' },
  'src/platform/store/reserve.ts': {
    names: ['open', 'rename'],
    why: 'takes up space only, filled in the background',
  },
  'src/doors/operator/control.ts': {
    names: ['chmodSync', 'openSync'],
    why: 'a socket, which no power cut leaves',
  },
  'src/doors/operator/data-folder.ts': {
    names: ['chmodSync', 'mkdtempSync'],
    why: 'closes a key that is open to others; a throwaway folder',
  },
  'src/doors/operator/mail-out.ts': {
    names: ['utimesSync'],
    why: "sets a mail's date of arrival, which its name has too",
  },
  'src/doors/operator/mail-files.ts': { names: ['open'], why: 'reads the mails to import' },
  'src/features/messages/attachment.ts': { names: ['open'], why: 'a spool file, removed once it is read' },
};

/** Where SQL may be. Search builds its statements from the query, in the file that runs them. */
export const sqlHomes =
  /(^|\/)(sql|writes|jobs)\.ts$|^src\/platform\/store\/|^src\/features\/messages\/(index-)?search\.ts$/;

/** Where tests may have SQL. All others use public interfaces, or the functions of the first two files. */
export const testSqlHomes = /^test\/(store-state\.ts|store-file\.ts|tidy\.test\.ts|platform\/store\/)/;

/** Tables that another folder may write too, and why. */
export const alsoWrittenBy: Record<string, string[]> = {
  // Deleting an account deletes its inboxes, claims and domains; accounts may not import those features.
  inbox: ['accounts'],
  claim: ['accounts'],
  domain: ['accounts'],
  // The many rows of a deleted account are erased in steps; accounts may not import those features.
  event: ['accounts'],
  deleted_message: ['accounts'],
  outbound_email: ['accounts'],
  thread: ['accounts'],
  thread_ref: ['accounts'],
  suppression: ['accounts'],
  // As above. Also, when an account is active again, its webhooks start over.
  webhook: ['accounts'],
  // An event and its deliveries are written with what causes it, and those features may not import webhooks.
  // The deliveries of a deleted inbox's webhook are erased in steps.
  delivery: ['events', 'inboxes'],
  // Deleting a message releases its share of the mail's bytes; messages may not import ingest.
  raw: ['messages'],
};

/** Files that may have module state, which all servers in a process share, and why. */
export const alsoShared: Record<string, string> = {
  'src/app/checker-process.ts': 'the main file of a process',
  'src/app/parser-process.ts': 'the main file of a process',
  'src/doors/operator/folder-process.ts': 'the main file of a process',
  'src/doors/dashboard/pages.ts': 'the pages in the executable, read once',
  'src/doors/smtp/connections.ts':
    "whether the library's prototypes have been patched; done once per process",
  'src/doors/smtp/session.ts':
    "a verdict beside the library's own object, which lives as long as its envelope",
  'src/features/accounts/breached-passwords.ts': 'a list in the executable, read once',
  'src/features/domains/dkim-key.ts': 'a cache of opened keys, by what opened them',
  'src/features/messages/search-backlog.ts': 'counts by store, as long as that lives',
  'src/features/verification/disposable.ts': 'a list in the executable, read once',
  'src/platform/http/routes.ts': 'renderings of a document, which never changes',
  'src/platform/http/sockets.ts': 'what Bun reports about a request, by request, as long as that lives',
  'src/platform/mail/extract/lexicon.ts': 'a counter while the module is loaded and fills its table',
  'src/platform/mail/extract/score.ts': "a cache of a model's weights in another order",
  'src/platform/net/guard.ts': 'a cache of the bytes of networks',
  'src/platform/net/secure-context.ts': 'a cache of TLS contexts, by list of certificates',
  'src/platform/process/unconfined.ts': 'warnings by log, as long as that lives',
  'src/platform/store/addon.ts':
    'the native library that this thread has loaded, which it can load only once',
  'src/platform/system/capabilities.ts': 'whether this process has given up its capabilities in part',
  'src/platform/system/passed-files.ts': 'the C library, which is opened once',
};

export const FILE_LINES_MAX = 350;
export const FUNCTION_LINES_MAX = 60;
/** Tables of data may be as long as the data. */
export const longFiles =
  /^(src\/rules|src\/web\/words|test\/corpus)\/|^clients\/typescript\/src\/(wire|error-table)\.ts$/;

export const wordsWithoutMeaning = /(^|[-/])(utils?|helpers?|managers?|common|misc|stuff)([-/.]|$)/;
export const fileName = /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|d))?\.[a-z0-9]+$/;
