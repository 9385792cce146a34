import { expect, test } from 'vitest';
import { metricsOf } from '../../unit/chart/promql.ts';
import { NAMESPACE, render } from './rendered.ts';

const EVERYTHING = {
  monitoring: {
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    prometheusRule: { enabled: true, runbookUrl: 'https://runbooks.example/' },
    grafanaDashboard: { enabled: true },
  },
};

test('alerts ask of this release alone, and lead to their runbooks', async () => {
  const [group] = (await render(EVERYTHING)).get('PrometheusRule', '')['spec'].groups;
  expect(group.rules.length).toBeGreaterThan(5);
  for (const { alert, expr, annotations } of group.rules) {
    expect(() => metricsOf(expr)).not.toThrow();
    expect(expr).toContain(`namespace="${NAMESPACE}", service="t-tearsheet-metrics"`);
    expect(annotations.runbook_url).toBe(`https://runbooks.example/${alert}.md`);
  }
});

test('what Prometheus templates is left to Prometheus', async () => {
  const rendered = await render(EVERYTHING);
  expect(JSON.stringify(rendered.get('PrometheusRule', ''))).toContain('{{ $labels.queue }}');
  const dashboard = rendered.get('ConfigMap', 'dashboard');
  expect(JSON.parse(dashboard['data']['tearsheet.json']).title).toBe('Tearsheet');
  expect(dashboard.metadata.labels).toMatchObject({ grafana_dashboard: '1' });
});

test('the monitor scrapes the Service whose name alerts select by', async () => {
  const rendered = await render(EVERYTHING);
  const { metadata, spec } = rendered.get('ServiceMonitor', '');
  expect(metadata.labels).toMatchObject({ release: 'prometheus' });
  const service = rendered.get('Service', 'metrics');
  expect(service.metadata.labels).toMatchObject(spec.selector.matchLabels);
  expect(service.metadata.name).toBe('t-tearsheet-metrics');
  expect(spec.endpoints).toMatchObject([{ port: 'metrics', relabelings: [{ targetLabel: 'component' }] }]);
});
