import { expect, test } from 'vitest';
import { planOf } from '../../../../src/core/mediaPlans/mediaPlan.ts';
import { tableOfText } from '../../../../src/core/mediaPlans/readTable.ts';
import { findHeadings, marketsOf } from '../../../../src/domain/mediaPlans.ts';
import { required } from '../../../support/required.ts';

const ad = (id: string, name: string, [width, height]: readonly [number, number], lookupKey: string | null = null) => ({
  ...{ id, name, lookupKey, size: { width, height }, still: false },
});
const OWN = [ad('mpu', 'Spring_300x250.png', [300, 250]), ad('board', 'Spring_728x90.png', [728, 90])];
const OTHERS = [ad('k', 'Old', [300, 250], 'key-1'), ad('old2', 'Old', [728, 90]), ad('old1', 'Same', [300, 250])];

function planIn(text: string, context = {}) {
  const table = tableOfText(text);
  return planOf(table, required(findHeadings(table)), {
    ...{ own: OWN, others: OTHERS, devices: ['desktop'], markers: [] },
    ...context,
  });
}

function read(text: string, context = {}) {
  const plan = planIn(text, context);
  const asked = plan.combinations.map(({ ad, site, device, marker, location }) =>
    [ad.id, site, device, marker ?? null, ...(location === undefined ? [] : [location])].join(' '),
  );
  return {
    asked,
    faults: plan.faults.map(({ row, column, text }) => `${row + 1}:${column + 1} ${text}`),
  };
}

test('a plan with titles, publishers, sizes and totals gives exact combinations', () => {
  const { asked, faults } = read(
    [
      'Client;Example Ltd',
      '',
      'Publisher;Placement URL;Device Type;Ad Size;Impressions;Creative Name (final)',
      'The News;https://news.example/sport;Desktop;728x90;1.000;spring_728x90',
      'The News;https://news.example/sport;Mobile phone;300x250;1.000;Spring_300x250.png',
      'A Blog;blog.example;Desktop & Mobile;300 × 250 px, 728x90;2.000;',
      'Total;;;;4.000;',
    ].join('\n'),
  );
  expect([asked, faults]).toEqual([
    [
      'board https://news.example/sport desktop ',
      'mpu https://news.example/sport mobile ',
      ...['mpu', 'board'].flatMap((id) => ['desktop', 'mobile'].map((device) => `${id} blog.example ${device} `)),
    ],
    [],
  ]);
});

test('a word for a device that only the organization knows is one word of all its rows', () => {
  const text =
    'Ad\tSite\tDevice\nSame\ta.example\tDesktop HP\nSame\tb.example\tdesktop hp & Mobile\nSame\tc.example\tMobile';
  expect(planIn(text).words).toEqual([{ word: 'desktop hp', rows: 2, device: undefined }]);
  expect(read(text).faults.length).toBe(2);
  const words = { words: { 'desktop hp': 'desktop' } };
  expect(planIn(text, words).words).toEqual([{ word: 'desktop hp', rows: 2, device: 'desktop' }]);
  const known = read(text, words);
  expect([known.asked.length, known.faults]).toEqual([4, []]);
  // No name of a property is a word.
  expect(read('Ad\tSite\tDevice\nSame\ta.example\tconstructor').faults.length).toBe(1);
});

test.each([
  [
    'Ad\tSite\tDevice\nOld\tnews.example\tdesktop',
    '2:1 Several ads have this name (Old 300×250, Old 728×90): enter the size, or the id of one.',
  ],
  ['Ad,Site\nNew.png,news.example', '2:1 No ad has this name: upload the file “New.png”, or enter the name of an ad.'],
  [
    'Ad,Site,Size\nSame,news.example,728x90',
    '2:1 The ad “Same” has 300×250, not 728×90: correct the size, or enter another ad.',
  ],
  ['Site,Size\nnews.example,160x600', '2:2 No ad of the request has 160×600: upload one, or enter the name of an ad.'],
  ['Site,Size\nnews.example,250', '2:2 This is not a size. Enter width × height in pixels, such as 300x250.'],
  ['Ad,Site\nSame,The News', '2:2 Not an address. Enter that of the page, such as news.example/travel.'],
  ['Ad,Site\nSame,ftp://news.example', '2:2 Not an address. Enter that of the page, such as news.example/travel.'],
  ['Ad,Site\nSame,https://me:pw@news.example', '2:2 The address must not contain a user name or password.'],
  [
    'Ad,Site,Device\nSame,news.example,Fridge',
    '2:3 This device is not known. Enter desktop, mobile, tablet, a model such as iPhone 14, or a size such as 1440x900.',
  ],
  [
    `Ad,Site,Device\nSame,news.example,${'desktop '.repeat(30)}`,
    '2:3 This has more than 200 characters: shorten it, or use several rows.',
  ],
  ['Ad,Site,Second\nSame,news.example,31', '2:3 The moment 31 is not between 0 and 30 seconds.'],
  ['Ad,Site,Second\nSame,news.example,"2,5"', '2:3 2,5 is ambiguous: write 2.5 or 2; 5.'],
])('the plan %j has the fault %s', (text, fault) => {
  expect(read(text)).toEqual({ asked: [], faults: [fault] });
});

test.each([
  ['a lookup key', 'Ad,Site\nkey-1,news.example', ['k news.example desktop ']],
  ['a name and a size', 'Ad,Site,Size\nold,news.example,728x90', ['old2 news.example desktop ']],
  [
    'moments',
    'Ad,Site,Moment\nSame,news.example,"0; 2.5s"',
    ['old1 news.example desktop 0', 'old1 news.example desktop 2.5'],
  ],
  [
    'moments with decimal commas',
    'Ad\tSite\tMoment\nSame\tnews.example\t0; 1,5; 2.5',
    ['old1 news.example desktop 0', 'old1 news.example desktop 1.5', 'old1 news.example desktop 2.5'],
  ],
  ['a moment of a German spreadsheet', 'Ad;Site;Sekunde\nSame;news.example;2,5', ['old1 news.example desktop 2.5']],
])('an ad is found by %s', (_what, text, asked) => {
  expect(read(text)).toEqual({ asked, faults: [] });
});

test.each([
  ['German', 'Umfeld;URL;Endgerät;Werbeformat;Motiv;Land', { site: 1, device: 2, size: 3, ad: 4, market: 5 }],
  ['French', 'Support;Site web;Appareil;Taille;Nom du fichier;Pays', { site: 1, device: 2, size: 3, ad: 4, market: 5 }],
  [
    'Campaign Manager',
    'Site name (Placement);Placement name (Placement);Dimensions (Placement);Creative name (Creative)',
    { site: 0, size: 2, ad: 3 },
  ],
  ['a landing page', 'Publisher;Landing page URL;Click-through URL;Creative', { site: 0, ad: 3 }],
])('the columns of headings in %s are recognized', (_name, line, columns) => {
  expect(findHeadings(tableOfText(line))?.columns).toEqual(columns);
});

test('a row whose size stands twice gives each picture once, and an advertiser may be called Total', () => {
  const { asked } = read('Advertiser,Ad,Site,Size\nTotal,Same,news.example,"300x250, 300x250"\nTotal,,,');
  expect(asked).toEqual(['old1 news.example desktop ']);
});

test('a plan of too many pictures has a fault in each row that is too much', () => {
  const devices = Array.from({ length: 20 }, (_, index) => `${1000 + index}x800`).join('&');
  const moments = Array.from({ length: 40 }, (_, index) => (index / 2).toString()).join(' ');
  const row = `Same\tnews.example\t${devices}\t${moments}`;
  const { asked, faults } = read(`Ad\tSite\tDevice\tMoment\n${`${row}\n`.repeat(65)}`);
  expect(asked).toHaveLength(49_600);
  expect(faults).toHaveLength(3);
  expect(faults[0]).toContain('The plan gives more than 50,000 pictures');
});

const MARKETS = marketsOf([
  { id: 'fra', name: 'Frankfurt', country: 'DE' },
  { id: 'ber', name: 'Berlin', country: 'DE' },
  { id: 'uk', name: 'Britain', country: 'GB' },
]);
const inMarket = (market: string, context = {}) => read(`Ad,Site,Market\nSame,news.example,"${market}"`, context);

test.each([
  ['DE', ['fra']],
  ['Deutschland', ['fra']],
  ['berlin', ['ber']],
  ['UK', ['uk']],
  ['United Kingdom', ['uk']],
  ['Allemagne / Britain', ['fra', 'uk']],
  ['', ['uk']],
])('the market %j gives pictures from the locations %j', (market, locations) => {
  expect(inMarket(market, { markets: MARKETS, locations: ['uk'] })).toEqual({
    asked: locations.map((id) => `old1 news.example desktop  ${id}`),
    faults: [],
  });
});

test('a market without a location is a fault of its cell, unless there are no locations at all', () => {
  expect(inMarket('DE, Narnia', { markets: MARKETS })).toEqual({
    asked: [],
    faults: ['2:3 No location has this name. Enter one from the list “Location”, or leave it empty.'],
  });
  expect(inMarket('Narnia')).toEqual({ asked: ['old1 news.example desktop '], faults: [] });
});

test('a row without a device needs one of the request', () => {
  const plan = 'Ad,Site,Device\nSame,news.example,iPad\nSame,blog.example,';
  expect(read(plan, { devices: [] })).toEqual({
    asked: ['old1 news.example ipad '],
    faults: ['3:3 Enter a device, or choose one above.'],
  });
});

test('a table without headings is none', () => {
  expect(findHeadings(tableOfText('news.example;300x250\nblog.example;728x90'))).toBeUndefined();
});
