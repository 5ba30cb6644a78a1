import { describe, expect, test } from 'bun:test';
import { fillTemplate, findTemplateFault } from '../../../src/features/mail-rules/template.ts';
import { noticeExamples, placeholders } from '../../../src/rules/notices.ts';
import { readText } from '../../tidy/documents.ts';

const values = Object.fromEntries(Object.keys(placeholders).map((name) => [name, name])) as Record<
  keyof typeof placeholders,
  string
>;

describe('a template', () => {
  test('is filled only within its strings, which no value can end', () => {
    const hostile = '"}],\n\\u0022 {{code}} \u2028 \ud800';
    const filled = fillTemplate('{"a": ["{{subject}} {{ from }}", 1, null], "{{to}}": true}', {
      ...values,
      subject: hostile,
    });
    expect(JSON.parse(filled)).toEqual({ a: [`${hostile.toWellFormed()} from`, 1, null], '{{to}}': true });
  });

  test('gets at most 300 characters of each value', () => {
    const filled = fillTemplate('"{{subject}}"', { ...values, subject: 'x'.repeat(5_000) });
    expect(JSON.parse(filled)).toBe(`${'x'.repeat(299)}…`);
  });

  test('may have 50 placeholders', () => {
    expect(findTemplateFault(JSON.stringify('{{from}}'.repeat(50)))).toBeNull();
  });

  const faults: [string, RegExp][] = [
    ['{"a": {{subject}}}', /not JSON/],
    ['', /not JSON/],
    ['{"a": "{{constructor}}"}', /unknown placeholder \{\{constructor\}\}/],
    ['{"a": "{{Subject}}"}', /unknown placeholder/],
    [JSON.stringify('{{from}}'.repeat(51)), /more than 50/],
    ['['.repeat(500) + ']'.repeat(500), /nested/],
  ];
  for (const [text, fault] of faults) {
    test(`${text.slice(0, 30)} is refused`, () => expect(findTemplateFault(text)).toMatch(fault));
  }

  test('in every example is valid, and the docs page prints it', () => {
    const page = readText('docs/rules.md');
    for (const { url, template } of Object.values(noticeExamples)) {
      const text = JSON.stringify(template);
      expect(findTemplateFault(text)).toBeNull();
      const shown = Array.from(page.matchAll(/`(\{".*?\})` \|$/gm), ([, json = '']) =>
        JSON.stringify(JSON.parse(json)),
      );
      expect(shown).toContain(text);
      expect(page).toContain(`\`${url}\``);
    }
    for (const name of Object.keys(placeholders)) expect(page).toContain(`\`{{${name}}}\``);
  });
});
