import { expect, test } from 'vitest';
import { metricsOf } from './promql.ts';

test('metrics are found in all parts of an expression', () => {
  const expression =
    'sum by (route) (rate(a_total{status=~"5.."}[5m])) / (sum(rate(a_total[5m])) > 0) and on() max_over_time(b[1h:1m]) > 1';
  expect(metricsOf(expression)).toEqual(['a_total', 'b']);
});

test.each(['rate(a_total[5m]', 'sum by route (a)', 'a{status="x"'])('%s is not PromQL', (expression) => {
  expect(() => metricsOf(expression)).toThrow('No PromQL');
});
