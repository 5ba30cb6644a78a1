import { words } from '../words/words.ts';

/** Names a User-Agent as people do: `Firefox on Linux`. The first match wins, because each one names others too. */
const browsers: [RegExp, string][] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Headless)?Chrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
];
const systems: [RegExp, string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

export function browserName(userAgent: string): string {
  const nameIn = (table: [RegExp, string][]) => table.find(([sign]) => sign.test(userAgent))?.[1];
  const browser = nameIn(browsers) ?? words.account.profile.unknownBrowser;
  const system = nameIn(systems);
  return system ? words.account.profile.browserOn(browser, system) : browser;
}
