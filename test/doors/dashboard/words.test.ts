/** The texts of the pages: complete in six languages, chosen by the browser or the person, and none left in the code. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { areas, compare, findWordFaults, readWords } from '../../../scripts/words.ts';
import { agoTime, monthName, shortTime, size } from '../../../src/web/format.ts';
import { joinWithOr, number, plural } from '../../../src/web/words/amounts.ts';
import { chooseLanguage, type Language, languages, spoken } from '../../../src/web/words/locale.ts';
import { speak } from '../../../src/web/words/words.ts';
import { haveBrowser, openBrowser, type TestBrowser } from '../../peers/browser.ts';
import { findScreenTexts } from '../../tidy/screen-texts.ts';
import { filesBelow } from '../../tidy/source.ts';
import { makeCookie, makeScene, type Scene } from './scene.ts';

const others = (Object.keys(languages) as Language[]).filter((language) => language !== 'en');

/** Texts that are the same in English and the other language. */
const alsoWords: Partial<Record<Language, string>> = {
  de: 'B, KB, MB, GB, Postern, 2FA, System, Capture, Passkeys, Trap, Webhook, Webhooks, Domain, Domains, Server, capture, Catch-all, Frameworks, Host, Port, Name, Status, Test, … ms, in … ms, Link, Version, Code …, Codes, Links, Live, Tags: …, Code, HTML, Text, Tablet, NaN px, Tags, Client, Cc',
  fr: 'Postern, 2FA, Capture, Trap, Webhook, Webhooks, Sections, Page, Pages, capture, Messages, Frameworks, Port, Catch-all, catch-all, Test, … ms, correct, incorrect, Sessions, Version, standard, agent, Codes, Suggestions, Message, Code, HTML, Source, NaN px, NaN scripts, Note, Client, Cc',
  es: 'B, KB, MB, GB, Postern, Trap, Webhook, Webhooks, General, Plan, Plan: …, no, Catch-all, catch-all, Frameworks, Host, … ms, Selector {selector}, demo, HTML, NaN px, NaN scripts, selector …, Cc',
  ja: 'B, KB, MB, GB, Postern, Webhook, HTML, Cc',
  zh: 'B, KB, MB, GB, Postern, Webhook, HTML, “{text}”, API URL',
};

describe('the texts', () => {
  test('are in every language, with every name and amount that the English ones have', async () => {
    expect(await findWordFaults()).toEqual([]);
  });

  test('that are missing, empty or lack an amount are reported', () => {
    const model = (count: string, name: string) => `${count} of ${name}`;
    expect(compare('Save', undefined)).toBe('missing');
    expect(compare('Save', ' ')).toContain('is " "');
    expect(compare('Save', () => 'Save')).toBe('is a function');
    expect(compare('Found: {records}', 'Gefunden: {record}')).toBe('lacks {records}');
    expect(compare('Found', 'Gefunden: {record}')).toContain('has {record}');
    expect(compare(model, (count: string) => `${count} davon`)).toBe('lacks 83');
    expect(compare(model, (count: string, name: string) => `${name}: ${count}`)).toBeUndefined();
  });

  test.each(others)('in %s are translated', async (language) => {
    const same = new Set(alsoWords[language]?.split(', '));
    const shown = (text: unknown) => (typeof text === 'function' ? text('…', '…', '…') : text);
    const found: string[] = [];
    const used = new Set<string>();
    for (const area of areas) {
      const own = await readWords(language, area);
      for (const [key, text] of await readWords('en', area)) {
        if (shown(text) !== shown(own.get(key))) continue;
        used.add(shown(text));
        if (!same.has(shown(text))) found.push(`${area}.${key}: ${shown(text)}`);
      }
    }
    expect(found).toEqual([]);
    expect([...same].filter((text) => !used.has(text))).toEqual([]);
  });
});

/** Names and examples, which are the same in every language. */
const names =
  /^(Postern|POSTERN_\w+|SMTP|TLS|STARTTLS|HTTP|UTC|\+fault-\w+|URL|CI|Ctrl K|, Bun|mail\.example\.com|ann@example\.com|caniemail\.com|data\.\w+|you@…|… "…\/\S+"|Authorization: Bearer …|postern member link|…, Bun …)$/;

test('every text of a page is in the tables', () => {
  const pages = filesBelow('src/web').filter(
    (path) => /\.tsx?$/.test(path) && !path.startsWith('src/web/words/'),
  );
  expect(pages.length).toBeGreaterThan(90);
  const found = pages.flatMap((path) =>
    findScreenTexts(path)
      .filter((text) => !names.test(text.replace(/^\d+: /, '')))
      .map((text) => `${path}:${text}`),
  );
  expect(found).toEqual([]);
});

test('a text that is not in the tables is found, wherever it is', () => {
  const code = `
    import { x } from './a text.ts';
    // A comment with words.
    const plain = 'Something went wrong.';
    const quiet = { type: 'application/json', method: 'POST', key: 'ArrowDown' };
    const C = ({ n }) => <a class="text-sm card" aria-label="Close" title={n ? 'Open' : words.close} href="/dashboard">
      Send this to {n}. {n === 'owner' && 'yours'} {\`\${n} more\`} {words.done} 12 ·
    </a>;`;
  expect(findScreenTexts('one.tsx', code).map((text) => text.replace(/^\d+: /, ''))).toEqual([
    'Something went wrong.',
    'Close',
    'Open',
    'Send this to',
    'yours',
    '… more',
  ]);
});

describe('the language', () => {
  test.each([
    [['de-AT', 'en'], null, 'de', 'de-AT'],
    [['nl', 'fr-CA', 'de'], null, 'fr', 'fr-CA'],
    [['zh-CN'], null, 'zh', 'zh-CN'],
    [['zh-Hans-HK', 'ja'], null, 'zh', 'zh-Hans-HK'],
    // Traditional Chinese is not covered by `zh`.
    [['zh-TW', 'ja'], null, 'ja', 'ja'],
    [['zh-Hant', 'zh-HK'], null, 'en', 'en-u-hc-h23'],
    [['nl-NL'], null, 'en', 'en-u-hc-h23'],
    [[], null, 'en', 'en-u-hc-h23'],
    [['not a tag', 'es-MX'], null, 'es', 'es-MX'],
    // A choice comes first, in the variety that the browser prefers.
    [['de-AT', 'en-GB'], 'en', 'en', 'en-GB'],
    [['en-US'], 'ja', 'ja', 'ja'],
    [['en-US'], 'zh', 'zh', 'zh-Hans'],
    [['de-DE'], 'en', 'en', 'en-u-hc-h23'],
    // A browser's storage may hold anything.
    [['de'], 'klingon', 'de', 'de'],
    [['de'], 'toString', 'de', 'de'],
  ] as const)(
    'of a browser that accepts %p, with %p chosen, is %s as in %s',
    (accepted, chosen, language, locale) => {
      expect(chooseLanguage(accepted, chosen, 'h23')).toEqual({ language, locale });
    },
  );

  afterEach(() => speak('en', 'en'));

  test.each([
    ['en', '12,345.5', '1 time', '1.5 KB', 'free, pro, or scale', 'November 2026', '3 hours ago'],
    ['de', '12.345,5', '1 time', '1,5 KB', 'free, pro oder scale', 'November 2026', 'vor 3 Stunden'],
    ['fr', '12\u202f345,5', '1 time', '1,5 Ko', 'free, pro ou scale', 'novembre 2026', 'il y a 3 heures'],
    ['es', '12.345,5', '1 time', '1,5 KB', 'free, pro o scale', 'noviembre de 2026', 'hace 3 horas'],
    ['ja', '12,345.5', '1 times', '1.5 KB', 'free、pro、またはscale', '2026年11月', '3 時間前'],
    ['zh', '12,345.5', '1 times', '1.5 KB', 'free、pro或scale', '2026年11月', '3小时前'],
  ] as const)(
    '%s writes amounts, sizes, lists and times in its own way',
    async (language, amount, times, bytes, list, month, ago) => {
      await speak(language, language);
      expect([
        number(12_345.5),
        plural(1, { one: '1 time', other: '1 times' }),
        size(1536),
        joinWithOr(['free', 'pro', 'scale']),
        monthName('2026-11'),
        agoTime(new Date(Date.now() - 3 * 3_600_000).toISOString()),
      ]).toEqual([amount, times, bytes, list, month, ago]);
    },
  );

  test('has the 12 or the 24 hours of its locale', async () => {
    const now = new Date().toISOString();
    for (const [locale, hasTwelve] of [
      ['en-US', true],
      ['en-GB', false],
      ['en-u-hc-h23', false],
    ] as const) {
      await speak('en', locale);
      expect(/[AP]M/i.test(shortTime(now))).toBe(hasTwelve);
    }
    expect(spoken.locale).toBe('en-u-hc-h23');
  });
});

describe.skipIf(!haveBrowser())('in a browser', () => {
  let scene: Scene;
  let browser: TestBrowser;
  beforeAll(async () => {
    [scene, browser] = await Promise.all([makeScene(), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await scene?.[Symbol.asyncDispose]();
  });

  test.each([
    ['de', 'de', 'Anmelden'],
    ['fr', 'fr', 'Se connecter'],
    ['es', 'es', 'Iniciar sesión'],
    ['ja', 'ja', 'サインイン'],
    ['zh', 'zh-Hans', '登录'],
    ['nl', 'de', 'Anmelden'],
    ['en', 'en', 'Sign in'],
  ])('%s, once chosen, is the language of the pages', async (chosen, lang, title) => {
    const { page, faults, close } = await browser.open(`${scene.appliance.url}/dashboard`, {
      locale: 'de-DE',
    });
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor();
    await page.evaluate(`localStorage.setItem('postern.language', '${chosen}')`);
    await page.reload();
    await page.getByRole('heading', { name: title }).waitFor();
    expect(await page.getAttribute('html', 'lang')).toBe(lang);
    expect(faults).toEqual([]);
    await close();
  });

  test('a person chooses another language, which stays', async () => {
    const url = `${scene.appliance.url}/dashboard/preferences`;
    const open = await browser.open(url, { cookie: makeCookie(scene.ann.visitor) });
    await open.page.getByRole('combobox', { name: 'Language' }).selectOption({ label: '日本語' });
    await open.page.getByRole('heading', { name: '表示と動作' }).waitFor();
    await open.page.goto(`${scene.appliance.url}/dashboard/keys`);
    await open.page.getByText('作成：').first().waitFor();
    await open.page.goto(url);
    await open.page.getByRole('combobox', { name: '言語' }).selectOption({ label: 'Français' });
    await open.page.getByRole('heading', { name: 'Préférences' }).waitFor();
    // The browser's own, which is English.
    await open.page.getByRole('combobox', { name: 'Langue' }).selectOption('');
    await open.page.getByRole('heading', { name: 'Preferences' }).waitFor();
    expect(await open.page.evaluate('localStorage.getItem("postern.language")')).toBeNull();
    expect(open.faults).toEqual([]);
    await open.close();
  });
});
