/** Examples of bodies in the OpenAPI document. A test sends each to a real API. */

export const NEW_AD = {
  campaign: { name: 'Spring' },
  ad: {
    lookup_key: 'spring-300x250',
    name: 'Spring, medium rectangle',
    media: { type: 'url', content: 'https://cdn.example/spring.zip' },
  },
};

export const NEW_SCREENSHOTS = {
  campaign: { name: 'Spring' },
  screenshot_requests: [
    {
      ad: { lookup_key: 'spring-300x250', media: { type: 'url', content: 'https://cdn.example/spring.zip' } },
      screenshots: [
        { site: { url: 'https://news.example' }, device: { name: 'desktop' } },
        {
          site: { url: 'https://news.example' },
          device: { name: 'iphone' },
          options: { ad: { frames: [{ marker: 0 }, { marker: 2.5 }] } },
        },
      ],
    },
  ],
  subscribers: [{ webhook: { url: 'https://you.example/hook' } }],
};

export const REPLAYED_PERIOD = { from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z', only_failed: true };

export const REVIEW_OF_A_SET = { notes: 'Checked with the client.' };

export const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" width="160" height="40"><rect width="160" height="40" fill="#1f5f6b"/></svg>';
