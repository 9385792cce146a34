/** The chart's Grafana dashboard: panels as a table here, Grafana's JSON there. */

interface Panel {
  readonly title: string;
  /** Shown at the panel's corner. */
  readonly about: string;
  readonly expr: string;
  readonly legend: string;
  readonly unit?: 'short' | 's' | 'reqps' | 'bytes' | 'percentunit';
  readonly stacked?: boolean;
}

interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** What every query selects by; the variables stand at the top of the dashboard. */
const OF = 'namespace="$namespace"';
const rate = (metric: string, by: string, more = '') =>
  `sum by (${by}) (rate(${metric}{${OF}${more}}[$__rate_interval]))`;
const quantile = (metric: string, by: string) =>
  `histogram_quantile(0.95, sum by (le, ${by}) (rate(${metric}_bucket{${OF}}[$__rate_interval])))`;

const ROWS: readonly Row[] = [
  {
    title: 'Requests',
    panels: [
      {
        title: 'Answers a second, by status',
        about: '5xx are failures of the service; runbook TearsheetApiErrors.',
        expr: rate('tearsheet_requests_total', 'status'),
        legend: '{{status}}',
        unit: 'reqps',
        stacked: true,
      },
      {
        title: 'Time of an answer, 95th percentile',
        about: 'An answer to a POST is a commit in PostgreSQL; runbook TearsheetApiSlow.',
        expr: quantile('tearsheet_request_duration_seconds', 'route'),
        legend: '{{route}}',
        unit: 's',
      },
    ],
  },
  {
    title: 'Captures',
    panels: [
      {
        title: 'Pictures a second, by their end',
        about: 'uploaded is a picture; no_slots, not_found and blocked are the site’s doing.',
        expr: rate('tearsheet_captures_total', 'status'),
        legend: '{{status}}',
        stacked: true,
      },
      {
        title: 'Phases of a capture, 95th percentile',
        about: 'Where the time of a capture pod goes.',
        expr: quantile('tearsheet_capture_phase_seconds', 'phase'),
        legend: '{{phase}}',
        unit: 's',
      },
    ],
  },
  {
    title: 'Work',
    panels: [
      {
        title: 'Work that could start and waits',
        about: 'Of the queues in PostgreSQL.',
        expr: `max by (queue) (tearsheet_queue_depth{${OF}})`,
        legend: '{{queue}}',
      },
      {
        title: 'Age of the oldest such work',
        about: 'It grows where nobody takes work; runbook TearsheetWorkWaits.',
        expr: `max by (queue) (tearsheet_queue_oldest_seconds{${OF}})`,
        legend: '{{queue}}',
        unit: 's',
      },
    ],
  },
  {
    title: 'Cluster',
    panels: [
      {
        title: 'ScreenshotJobs, by STATUS',
        about: 'What keeps them from running is the cluster’s; runbook TearsheetSetsHeldUp.',
        expr: `sum by (reason) (tearsheet_screenshotjobs{${OF}})`,
        legend: '{{reason}}',
        stacked: true,
      },
      {
        title: 'Accepted and not launched yet',
        about: 'Sets and ads wait in PostgreSQL for their turn; capture.maxPods bounds how many run.',
        expr: `max by (kind) (tearsheet_waiting{${OF}})`,
        legend: '{{kind}}',
        stacked: true,
      },
      {
        title: 'Leader',
        about: 'Exactly one leads; runbook TearsheetNoLeader.',
        expr: `max by (pod) (tearsheet_leader{${OF}})`,
        legend: '{{pod}}',
      },
    ],
  },
  {
    title: 'Controller',
    panels: [
      {
        title: 'Looks at ScreenshotJobs a second',
        about: 'failed is repeated with back-off; runbook TearsheetReconcilesFail.',
        expr: rate('tearsheet_reconciles_total', 'outcome'),
        legend: '{{outcome}}',
        stacked: true,
      },
      {
        title: 'Work queue',
        about: 'ready grows where the leader does not keep up; runbook TearsheetControllerBehind.',
        expr: `max by (state) (tearsheet_work_queue_depth{${OF}})`,
        legend: '{{state}}',
      },
      {
        title: 'Answers of the cluster’s API, 95th percentile',
        about: 'By verb.',
        expr: quantile('tearsheet_cluster_request_duration_seconds', 'verb'),
        legend: '{{verb}}',
        unit: 's',
      },
    ],
  },
  {
    title: 'Deliveries',
    panels: [
      {
        title: 'Tries a second, by what came of them',
        about: 'retry is repeated for about a day; runbook TearsheetDeliveriesFail.',
        expr: rate('tearsheet_delivery_attempts_total', 'channel, outcome'),
        legend: '{{channel}} {{outcome}}',
        stacked: true,
      },
      {
        title: 'Deliveries that ended',
        about: 'retries_exhausted was given up; runbook TearsheetDeliveriesGivenUp.',
        expr: rate('tearsheet_deliveries_total', 'channel, outcome'),
        legend: '{{channel}} {{outcome}}',
        stacked: true,
      },
      {
        title: 'Time of a try, 95th percentile',
        about: 'How long receivers take.',
        expr: quantile('tearsheet_delivery_attempt_duration_seconds', 'channel'),
        legend: '{{channel}}',
        unit: 's',
      },
    ],
  },
  {
    title: 'Processes',
    panels: [
      {
        title: 'Memory',
        about: 'Resident; the limits stand in the values.',
        expr: `tearsheet_process_resident_memory_bytes{${OF}}`,
        legend: '{{pod}}',
        unit: 'bytes',
      },
      {
        title: 'Processors',
        about: 'Seconds of CPU a second.',
        expr: `rate(tearsheet_process_cpu_seconds_total{${OF}}[$__rate_interval])`,
        legend: '{{pod}}',
      },
      {
        title: 'Delay of the event loop, 99th percentile',
        about: 'How long anything else waits for its turn in a process.',
        expr: `tearsheet_nodejs_eventloop_lag_p99_seconds{${OF}}`,
        legend: '{{pod}}',
        unit: 's',
      },
    ],
  },
];

const DATASOURCE = { type: 'prometheus', uid: '$datasource' };
const GRID_WIDTH = 24;
const PANEL_HEIGHT = 8;

/** charts/tearsheet/files/dashboard.json */
export function generateChartDashboard(): string {
  const dashboard = {
    uid: 'tearsheet',
    title: 'Tearsheet',
    tags: ['tearsheet'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: VARIABLES },
    panels: ROWS.flatMap(drawRow).map((panel, index) => ({ id: index + 1, ...panel })),
  };
  return `${JSON.stringify(dashboard, undefined, 2)}\n`;
}

const VARIABLES = [
  { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus' },
  {
    name: 'namespace',
    type: 'query',
    label: 'Namespace',
    datasource: DATASOURCE,
    query: 'label_values(tearsheet_process_resident_memory_bytes, namespace)',
    refresh: 2,
  },
];

function drawRow({ title, panels }: Row, row: number): Readonly<Record<string, unknown>>[] {
  const y = row * (PANEL_HEIGHT + 1);
  const w = GRID_WIDTH / panels.length;
  const head = { type: 'row', title, collapsed: false, gridPos: { x: 0, y, w: GRID_WIDTH, h: 1 }, panels: [] };
  return [head, ...panels.map((panel, i) => drawPanel(panel, { x: i * w, y: y + 1, w, h: PANEL_HEIGHT }))];
}

function drawPanel({ title, about, expr, legend, unit = 'short', stacked = false }: Panel, gridPos: object) {
  const custom = { fillOpacity: stacked ? 40 : 0, stacking: { mode: stacked ? 'normal' : 'none' } };
  return {
    type: 'timeseries',
    title,
    description: about,
    datasource: DATASOURCE,
    gridPos,
    fieldConfig: { defaults: { unit, min: 0, custom }, overrides: [] },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: [{ refId: 'A', expr, legendFormat: legend, datasource: DATASOURCE }],
  };
}
