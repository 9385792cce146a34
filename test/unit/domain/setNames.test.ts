import { expect, test } from 'vitest';
import { contentsOf, setName } from '../../../src/domain/setNames.ts';

const picture = (adId: string, siteUrl: string, device: string) => ({ adId, siteUrl, siteKey: siteUrl, device });

test.each([
  ['1 ad on news.example, iPhone', [picture('a', 'https://news.example/front', 'iphone')]],
  [
    '2 ads × 2 sites, Desktop and iPhone',
    [
      picture('a', 'https://news.example/', 'desktop'),
      picture('b', 'https://news.example/', 'iphone'),
      picture('b', 'https://daily.example/', 'iphone'),
      picture('b', 'https://daily.example/', 'desktop'),
    ],
  ],
  [
    '1 ad on news.example, 4 devices',
    ['desktop', 'ipad', 'iphone', 'android'].map((device) => picture('a', 'news.example', device)),
  ],
])('the contents of a set are %s', (contents, pictures) => {
  expect(contentsOf(pictures)).toBe(contents);
});

const set = {
  ...{ name: null, campaign: 'Spring', contents: '6 ads × 5 sites, Desktop', nth: 1, round: 1 },
  created_at: new Date('2026-11-12T10:00:00Z'),
};

test.each([
  ['Spring: 6 ads × 5 sites, Desktop', {}],
  ['Spring: 6 ads × 5 sites, Desktop (2)', { nth: 2 }],
  ['Spring: 6 ads × 5 sites, Desktop (2), v3', { nth: 2, round: 3 }],
  ['Launch, v2', { name: 'Launch', nth: 2, round: 2 }],
  ['Spring, 12 Nov 2026', { contents: null }],
])('a set is named %s', (name, more) => {
  expect(setName({ ...set, ...more })).toBe(name);
});
