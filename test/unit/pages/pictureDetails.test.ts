import { expect, it } from 'vitest';
import { createGuard } from '../../../src/egress/guard.ts';
import { Locations } from '../../../src/egress/locations.ts';
import { html } from '../../../src/lib/html.ts';
import { whatFailed } from '../../../src/pages/set/failures.ts';
import { decision, details, type PictureFacts } from '../../../src/pages/set/pictureDetails.ts';
import { parseHtml } from '../../support/html/part.ts';
import { adRow, PATHS, picture, setFacts, WRITER } from './samples.ts';

const locations = new Locations({ locations: [], credentials: {}, guard: createGuard({ allow: [] }) });
const OPTIONS = { viewer: WRITER, paths: PATHS, version: '', compareWith: '', done: null, locations };
const member = (id: string, name: string, more = {}) =>
  picture({ id, group_name: 'Takeover', ad: adRow({ name }), ...more });
const GROUP = [
  member('a', 'Top'),
  member('b', 'Side'),
  member('c', 'Late', { status: 'no_slots' }),
  picture({ id: 'd' }),
];

function factsOf(at: number): PictureFacts {
  const view = GROUP[at] ?? picture();
  const none = { record: undefined, slots: undefined, pageSize: undefined, found: undefined, rule: undefined };
  return { ...none, view, set: setFacts(GROUP).set, versions: [], places: GROUP, threads: [], events: [] };
}

it('a picture of a group names the ads that it shows and those that it does not show', () => {
  const about = parseHtml(details(factsOf(0), OPTIONS).text)
    .locator('#about')
    .first();
  expect(about.textContent()).toContain('Takeover, with Side, without Late');
});

it('a picture on which a site rule failed leads to the site rules', () => {
  const warned = (code: 'site_rule_failed' | 'scaled') => {
    const view = picture({ warnings: [{ code, message: 'It matches no element of the page.' }] });
    return parseHtml(details({ ...factsOf(3), view }, OPTIONS).text).getByRole('link', { name: 'Open the site rules' });
  };
  expect([warned('site_rule_failed').count(), warned('scaled').count()]).toEqual([1, 0]);
});

it('after a decision, the next picture is not that of another ad of the same group', () => {
  const after = (at: number) =>
    parseHtml(html`${decision(factsOf(at), OPTIONS)}`.text)
      .locator('input[name=after]')
      .first()
      .getAttribute('value');
  expect([after(0), after(1)]).toEqual([PATHS.screenshot('d'), PATHS.screenshot('d')]);
});

it('an ad of a group without a slot says what took the slots, and not only which sizes the page has', () => {
  const reason = 'None can hold an ad of 300×250: #rail: another ad of the group is in it.';
  const told = (group_name: string | null) =>
    parseHtml(whatFailed(picture({ status: 'no_slots', reason, group_name }), ['300×250']).text).locator('.reason');
  expect(told('Takeover').textContent()).toBe(reason);
  expect(told(null).textContent()).toBe('This page has slots for 300×250.');
});
