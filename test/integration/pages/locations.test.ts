/** The choice of a location in the forms of a new request and of a retake. */
import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.ts';
import { createGuard } from '../../../src/egress/guard.ts';
import { Locations } from '../../../src/egress/locations.ts';
import { seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';
import { read } from './reading.ts';
import { complete, RequestForm } from './requestForm.ts';

const locations = new Locations({
  locations: [
    {
      ...{ id: 'de', name: 'Germany', country: 'DE', locale: 'de-DE', languages: ['de-DE'], geolocation: null },
      ...{ time_zone: 'Europe/Berlin', check_url: null, proxy: 'http://proxy.internal:3128' },
    },
  ],
  credentials: {},
  guard: createGuard({ allow: [] }),
});
const server = preparePages({ locations, limits: { ...DEFAULT_LIMITS, locations: locations.ids } });

const newestLocations = async () => {
  const { db } = server.store;
  const set = await db
    .selectFrom('screenshot_sets')
    .select('id')
    .orderBy('created_at', 'desc')
    .executeTakeFirstOrThrow();
  const shots = await db.selectFrom('screenshots').select('options').where('set_id', '=', set.id).execute();
  return shots.map(({ options }) => options?.location);
};

it('a new request is sent with the chosen location, and one that is not offered is a fault', async () => {
  const form = await RequestForm.open(server);
  const fields = complete(await form.newAd(), [['location', 'de']]);
  expect((await form.post(fields)).status).toBe(303);
  expect(new Set(await newestLocations())).toEqual(new Set(['de']));
  const { status, text } = await form.post(complete(await form.newAd(), [['location', 'xx']]));
  expect(status).toBe(422);
  expect(text).toContain('The location must be one of these locations: de.');
  expect(text).not.toContain('proxy.internal');
});

it('a market of a media plan is the location of its row, before that of the request', async () => {
  const form = await RequestForm.open(server);
  const rows = [
    'Ad\tSite\tMarket',
    'box.gif\tnews.example\tDeutschland',
    'box.gif\tnews.example\t',
    'box.gif\tnews.example\tDE',
  ];
  const fields = [
    ...complete(await form.newAd('box.gif')).filter(([name]) => name !== 'sites' && name !== 'action'),
    ['plan_text', rows.join('\n')],
  ] as const;
  const read = await form.post([...fields, ['action', 'check']]);
  expect(read.text).toContain('2 combinations repeat others: taken once');
  const plan = ['plan_id', /name="plan_id" value="([^"]+)"/.exec(read.text)?.[1] ?? ''] as const;
  expect((await form.post([...fields.slice(0, -1), plan, ['action', 'request']])).status).toBe(303);
  const found = (await newestLocations()).map((id) => id ?? 'none');
  expect(found.toSorted()).toEqual(['de', 'de', 'none', 'none']);
  const faulty = await form.post([
    ...fields.slice(0, -1),
    ['plan_text', 'Ad\tSite\tMarket\nbox.gif\ta.example\tFR'],
    ['action', 'check'],
  ]);
  expect(faulty.text).toContain('No location has this name. Enter one from the list “Location”, or leave it empty.');
});

it('a picture is taken again at another location', async () => {
  const { shotIds } = await seedSet(server, {
    status: 'approved',
    shots: [{ site: 'https://news.example/', device: 'desktop' }],
  });
  const page = await read(server, `${server.url}/o/demo/screenshots/${shotIds[0]}`);
  page.getByText('Retake this picture').click();
  page.getByLabel('Location').selectOption('de');
  await page.proceed(page.getByRole('button', { name: 'Retake', exact: true }));
  expect(await newestLocations()).toEqual(['de']);
});
