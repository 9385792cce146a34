/** Only pods of the API, and the check while it runs, get the credentials of proxies and may connect to them. */
import { expect, it } from 'vitest';
import { render } from './rendered.ts';

const GERMANY = {
  ...{ id: 'de', name: 'Germany', country: 'DE', locale: 'de-DE', languages: ['de-DE'] },
  ...{ time_zone: 'Europe/Berlin', proxy: 'http://proxy.example:3128' },
};
const FRANCE = { ...GERMANY, id: 'fr', country: 'FR', proxy: 'socks5://proxy.example' };
const proxiesAt = [{ ipBlock: { cidr: '203.0.113.7/32' } }];
const values = { locations: { list: [GERMANY, FRANCE], existingSecret: 'proxies', proxiesAt } };

it('the API and the check of `helm test` alone get the credentials, and the API reaches the ports of the proxies', async () => {
  const chart = await render(values);
  const namesOf = (component: string) =>
    JSON.stringify(chart.get('Deployment', component)['spec'].template.spec.containers[0].env);
  expect(namesOf('api')).toContain('"LOCATION_CREDENTIALS"');
  expect(namesOf('api')).toContain('"proxies"');
  expect(namesOf('controller')).not.toContain('LOCATION_CREDENTIALS');
  expect(JSON.stringify(chart.get('Pod', 'check')['spec'].containers[0].env)).toContain('"LOCATION_CREDENTIALS"');
  const rule = { ports: [{ port: 3128 }, { port: 1080 }], to: proxiesAt };
  expect(chart.get('NetworkPolicy', 'api')['spec'].egress).toContainEqual(rule);
  expect(JSON.stringify(chart.get('NetworkPolicy', 'capture'))).not.toContain('203.0.113.7');
});
