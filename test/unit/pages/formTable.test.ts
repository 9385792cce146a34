/** A form that is rendered and read from a table of its fields. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Failure } from '../../../src/domain/failure.ts';
import { textField } from '../../../src/pages/parts/formFields.ts';
import { bodyOf, formTable, readForm, renderFields, renderForm } from '../../../src/pages/parts/formTable.ts';

const Body = z.object({
  name: z.string().max(20, 'is too long.'),
  note: z.string().min(3).meta({ maxLength: 9 }).nullish(),
  days: z.number().int().min(1, 'must be at least 1.').max(30).nullish(),
  token: z.string().nullish(),
  topics: z.array(z.enum(['a', 'b'])).min(1, 'must name one.'),
  loud: z.boolean().nullish(),
  rule: z.object({ cron: z.string().max(5).nullish() }).transform((rule) => rule),
  site: z.object({ url: z.string() }).nullish(),
});

const TABLE = formTable(Body, {
  name: { label: 'Name', hint: 'For people.' },
  note: { label: 'Note', more: ' data-x' },
  days: { kind: 'number', label: 'Days' },
  token: { kind: 'password', label: 'Token' },
  topics: {
    kind: 'checkboxes',
    label: 'Topics',
    prefix: 'topic_',
    choices: [
      ['a', 'Topic A'],
      ['b', 'Topic B'],
    ],
    value: ['a'],
  },
  loud: { kind: 'checkbox', label: 'Loud' },
  more: { kind: 'details', label: 'More', fields: { 'rule.cron': { label: 'Cron' } } },
  address: { path: 'site.url', faultsAt: 'site', label: 'Address' },
  source: { kind: 'hidden', path: 'site.source', label: 'Source' },
});

const typed = { name: 'Ann', note: '', days: '3', token: 'secret', topic_b: 'yes', 'rule.cron': '', address: '' };
const rendered = (values: Readonly<Record<string, string>>, errors: Readonly<Record<string, readonly string[]>> = {}) =>
  renderFields(TABLE, { form: { values, errors } }).text;
/** The control of a name. */
const control = (html: string, name: string) =>
  new RegExp(`<(?:input|select)[^>]* name="${name}"[^>]*>`).exec(html)?.[0];

describe('a form that is rendered', () => {
  it('a field gets its limits from the schema of the API', () => {
    const html = rendered({});
    expect(control(html, 'name')).toContain(' required maxlength="20"');
    expect(control(html, 'note')).toContain(' maxlength="9" minlength="3" data-x');
    expect(control(html, 'note')).not.toContain('required');
    expect(control(html, 'days')).toContain(' min="1" max="30"');
    expect(control(html, 'rule.cron')).toContain(' maxlength="5"');
    expect(control(html, 'address')).not.toContain('required');
  });

  it('a browser cuts no secret and no address off at a limit', () => {
    const Long = z.object({ token: z.string().max(9), url: z.string().max(9), key: z.string().max(9) });
    const table = formTable(Long, {
      token: { kind: 'password', label: 'Token' },
      url: { kind: 'url', label: 'Address' },
      key: { isSecret: true, label: 'Key' },
    });
    expect(renderFields(table, {}).text).not.toContain('maxlength');
  });

  it('a password that was typed is not shown again', () => {
    const typedAgain = textField(
      { name: 'token', type: 'password', label: 'Token' },
      { values: { token: 'secret' }, errors: {} },
    );
    expect(typedAgain.text).not.toContain('secret');
  });

  it('a typed value is shown before a stored one, and a stored one before that of the table', () => {
    const stored = { name: 'Stored', topics: ['b'], loud: true };
    const shown = renderFields(TABLE, { stored, known: { name: { value: 'First' } } }).text;
    expect(control(shown, 'name')).toContain('value="Stored"');
    expect(control(shown, 'topic_a')).not.toContain('checked');
    expect(control(shown, 'topic_b')).toContain('checked');
    expect(control(shown, 'loud')).toContain('checked');
    const again = renderFields(TABLE, { stored, form: { values: { ...typed, topic_b: '' }, errors: {} } }).text;
    expect(control(again, 'name')).toContain('value="Ann"');
    expect(control(again, 'loud')).not.toContain('checked');
    expect(control(rendered({}), 'topic_a')).toContain('checked');
  });

  it('a secret is not shown again, neither as typed nor as stored', () => {
    const html = renderFields(TABLE, { stored: { token: 'stored' }, form: { values: typed, errors: {} } }).text;
    expect(control(html, 'token')).toContain('value=""');
  });

  it('a fault is shown at its field, also if the API names another path, and all others above', () => {
    const errors = { 'site.url': ['is wrong.'], 'topics.0': ['is unknown.'], rule: ['is missing.'], loud: ['is odd.'] };
    const html = rendered(typed, errors);
    expect(html).toContain('<p id="address-fault" class="fault">Address is wrong.</p>');
    expect(html).toContain('<p id="topics-fault" class="fault">Topics is unknown.</p>');
    expect(control(html, 'address')).toContain('aria-invalid="true"');
    expect(html).toMatch(
      /^<p class="note fault" role="alert">rule is missing. <br>loud is odd.<\/p>\n<div class="field">/,
    );
  });

  it('a field that is only read is not rendered', () => {
    expect(control(rendered(typed), 'source')).toBeUndefined();
    expect(bodyOf(TABLE, { body: { source: 'menu' } })).toMatchObject({ site: { source: 'menu' } });
  });

  it('the fault of a field that is left out is shown above', () => {
    const form = { values: {}, errors: { name: ['is taken.'] } };
    const html = renderFields(TABLE, { form, known: { name: null } }).text;
    expect(html).toContain('<p class="note fault" role="alert">name is taken.</p>');
    expect(control(html, 'name')).toBeUndefined();
  });

  it('folded fields are open if one has a value or a fault', () => {
    expect(rendered(typed)).toContain('<details><summary>More');
    expect(rendered({ ...typed, 'rule.cron': '* *' })).toContain('<details open>');
    expect(rendered(typed, { 'rule.cron': ['is required.'] })).toContain('<details open>');
  });

  it('a whole form carries the token of the session and the page to return to', () => {
    const viewer = { formToken: 'token' } as Parameters<typeof renderForm>[1]['viewer'];
    const html = renderForm(TABLE, { viewer, page: '/o/demo/page', action: '/o/demo/act', submit: 'Send <it>' });
    expect(html.text).toContain('<button class="primary">Send &lt;it&gt;</button></form>');
    expect(html.text).toContain(
      '<form class="fields" method="post" action="/o/demo/act"><input type="hidden" name="form" value="token"><input type="hidden" name="next" value="/o/demo/page">',
    );
  });
});

describe('a form that is read', () => {
  it('texts that are empty become null, and those inside an object are left out', () => {
    expect(bodyOf(TABLE, { body: typed })).toEqual({
      ...{ name: 'Ann', note: null, days: 3, token: 'secret', topics: ['b'], loud: false },
    });
    const body = { ...typed, loud: 'yes', 'rule.cron': ' * * ', address: 'news.example' };
    expect(bodyOf(TABLE, { body })).toMatchObject({ loud: true, rule: { cron: '* *' }, site: { url: 'news.example' } });
  });

  it('spaces around a text are removed, except those of a secret', () => {
    const body = { ...typed, name: ' Ann ', token: ' secret ' };
    expect(bodyOf(TABLE, { body })).toMatchObject({ name: 'Ann', token: ' secret ' });
  });

  it('the parser of the API checks the form, and gives its faults by the paths of the API', () => {
    const body = { ...typed, name: 'x'.repeat(21), days: '0', topic_b: '', 'rule.cron': '* *' };
    const read = () => readForm(TABLE, { body });
    expect(read).toThrow(Failure);
    try {
      read();
    } catch (error) {
      expect(error).toMatchObject({
        errors: { name: ['is too long.'], days: ['must be at least 1.'], topics: ['must name one.'] },
      });
    }
  });
});
