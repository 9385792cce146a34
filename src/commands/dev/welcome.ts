import type { DevReady } from './dev.ts';

/** @returns the text of `tearsheet dev` when it is ready: how to sign in, and a first request. */
export function welcome(ready: DevReady): string {
  const {
    url,
    organization,
    api_key,
    webhook_secret,
    sign_in_url,
    sample_url,
    metrics_url,
    database_url,
    secrets_keys,
  } = ready;
  return [
    'Tearsheet is ready.',
    '',
    `  sign in         ${sign_in_url}`,
    '                  (works once, within ten minutes; later, paste the API key)',
    `  API             ${url}/api/v1/orgs/${organization}`,
    `  reference       ${url}/docs`,
    `  API key         ${api_key}`,
    `  webhook secret  ${webhook_secret}`,
    `  sample page     ${sample_url}`,
    `  metrics         ${metrics_url}`,
    `  database        ${database_url}`,
    ...(secrets_keys === null ? [] : [`  secrets keys    ${secrets_keys} (SECRETS_KEYS for operator commands)`]),
    '',
    'A first request, which places a sample ad on the sample page. Open the html_url of its answer:',
    '',
    firstRequest(ready),
    '',
  ].join('\n');
}

/** @returns a command for a POSIX shell. The body contains no single quotes. */
function firstRequest({ url, organization, api_key, sample_url, sample_ad_url }: DevReady): string {
  const site = JSON.stringify({ url: sample_url });
  const ad = JSON.stringify({ media: { type: 'url', content: sample_ad_url } });
  return `curl -s ${url}/api/v1/orgs/${organization}/screenshot_requests \\
  -H "Authorization: Bearer ${api_key}" -H "Content-Type: application/json" -d '{
    "campaign": { "name": "First pictures" },
    "screenshot_requests": [{
      "ad": ${ad},
      "screenshots": [
        { "site": ${site}, "device": { "name": "desktop" } },
        { "site": ${site}, "device": { "name": "iphone" } }
      ]
    }]
  }'`;
}
