import { describe, expect, it } from 'vitest';
import { groupPictures, inPageOrder, oncePerPicture, sharesPage } from '../../../src/pages/pictures/grouping.ts';

const shot = (site_url: string, device: string, ad: string, marker_ms: number | null = null) => ({
  site_url,
  device,
  marker_ms,
  ad: { id: ad, name: ad },
});
const SHOTS = [
  shot('news', 'desktop', 'film', 2000),
  shot('blog', 'desktop', 'banner'),
  shot('news', 'mobile', 'banner'),
  shot('news', 'desktop', 'banner'),
  shot('news', 'desktop', 'film', 0),
];
const names = (by: 'site' | 'device' | 'ad') =>
  inPageOrder(SHOTS, by).map(({ site_url, device, ad, marker_ms }) =>
    `${site_url} ${device} ${ad.id} ${marker_ms ?? ''}`.trim(),
  );

describe('the order of pictures', () => {
  it('by site, the devices of one ad are side by side and markers are in order', () => {
    expect(names('site')).toEqual([
      'news desktop film 0',
      'news desktop film 2000',
      'news desktop banner',
      'news mobile banner',
      'blog desktop banner',
    ]);
  });

  it('by device, each device has its sites, and by ad, each ad has its sites', () => {
    expect(names('device').at(-1)).toBe('news mobile banner');
    expect(names('ad').slice(0, 3)).toEqual(['news desktop film 0', 'news desktop film 2000', 'news desktop banner']);
  });

  it('the frames of one placement are one film strip', () => {
    const [first] = groupPictures(inPageOrder(SHOTS, 'site'), 'site');
    expect(first?.strips.map(({ length }) => length)).toEqual([2, 1, 1]);
  });
});

it('only ads of the same group, site and device share a page', () => {
  const member = (name: string | null, site = 'news', device = 'desktop') => ({
    ...shot(site, device, 'ad'),
    group_name: name,
  });
  const [one, others] = [member('A'), [member('A'), member('B'), member('A', 'blog'), member('A', 'news', 'mobile')]];
  expect(others.map((other) => sharesPage(one, other))).toEqual([true, false, false, false]);
  expect(sharesPage(member(null), member(null))).toBe(false);
});

it('the picture of a group is shown once, in the place of its first ad and with the names of all', () => {
  const of = (group_name: string | null, image_sha256: string | null) => ({ group_name, image_sha256 });
  const views = [
    { ...shot('news', 'desktop', 'top'), ...of('Takeover', 'one') },
    { ...shot('news', 'desktop', 'alone'), ...of(null, 'one') },
    { ...shot('news', 'desktop', 'same'), ...of(null, 'one') },
    { ...shot('news', 'desktop', 'side'), ...of('Takeover', 'one') },
    { ...shot('news', 'desktop', 'open'), ...of('Takeover', null) },
    { ...shot('news', 'mobile', 'top'), ...of('Takeover', 'two') },
  ];
  expect(oncePerPicture(views).map(({ ad }) => ad.name)).toEqual(['top + side', 'alone', 'same', 'open', 'top']);
  expect(oncePerPicture(views, 'ad')).toEqual(views);
});
