/** Makes the chart's Grafana dashboard from the table of panels below. */

interface Panel {
  readonly title: string;
  /** The description that Grafana shows in the corner of the panel. */
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

/** The labels that every query selects. The variables are at the top of the dashboard. */
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
        title: 'Requests per second, by status',
        about: '5xx are failures of the service. Runbook: TearsheetApiErrors.',
        expr: rate('tearsheet_requests_total', 'status'),
        legend: '{{status}}',
        unit: 'reqps',
        stacked: true,
      },
      {
        title: 'Request duration, 95th percentile',
        about: 'The API answers a POST after a commit in PostgreSQL. Runbook: TearsheetApiSlow.',
        expr: quantile('tearsheet_request_duration_seconds', 'route'),
        legend: '{{route}}',
        unit: 's',
      },
      {
        title: 'Requests above a limit, per second',
        about: 'address_rate for many people at once: check TRUSTED_PROXIES. docs/limits.md explains the limits.',
        expr: rate('tearsheet_limited_requests_total', 'limit'),
        legend: '{{limit}}',
        unit: 'reqps',
        stacked: true,
      },
    ],
  },
  {
    title: 'Captures',
    panels: [
      {
        title: 'Screenshots per second, by final status',
        about: 'uploaded means success. The site causes no_slots, not_found and blocked.',
        expr: rate('tearsheet_captures_total', 'status'),
        legend: '{{status}}',
        stacked: true,
      },
      {
        title: 'Capture phases, 95th percentile',
        about: 'The time that a capture pod spends in each phase.',
        expr: quantile('tearsheet_capture_phase_seconds', 'phase'),
        legend: '{{phase}}',
        unit: 's',
      },
    ],
  },
  {
    title: 'Work queue',
    panels: [
      {
        title: 'Entries ready to run, by queue',
        about: 'The work queue is in PostgreSQL.',
        expr: `max by (queue) (tearsheet_queue_depth{${OF}})`,
        legend: '{{queue}}',
      },
      {
        title: 'Age of the oldest ready entry',
        about: 'It grows if no worker takes entries. Runbook: TearsheetWorkQueueStalled.',
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
        title: 'ScreenshotJobs, by status',
        about: 'Causes in the cluster can keep them from running. Runbook: TearsheetScreenshotJobsStuck.',
        expr: `sum by (reason) (tearsheet_screenshotjobs{${OF}})`,
        legend: '{{reason}}',
        stacked: true,
      },
      {
        title: 'Backlog',
        about: 'Accepted sets and ads wait in PostgreSQL for admission. capture.maxPods limits how many run.',
        expr: `max by (kind) (tearsheet_waiting{${OF}})`,
        legend: '{{kind}}',
        stacked: true,
      },
      {
        title: 'Leader',
        about: 'Exactly one controller is the leader. Runbook: TearsheetNoLeader.',
        expr: `max by (pod) (tearsheet_leader{${OF}})`,
        legend: '{{pod}}',
      },
    ],
  },
  {
    title: 'Controller',
    panels: [
      {
        title: 'Reconciliations per second, by result',
        about: 'The controller retries failed ones with back-off. Runbook: TearsheetReconcilesFailing.',
        expr: rate('tearsheet_reconciles_total', 'outcome'),
        legend: '{{outcome}}',
        stacked: true,
      },
      {
        title: 'Reconcile queue depth',
        about: 'ready grows if the leader does not keep up. Runbook: TearsheetReconcileQueueBacklog.',
        expr: `max by (state) (tearsheet_work_queue_depth{${OF}})`,
        legend: '{{state}}',
      },
      {
        title: 'Kubernetes API latency, 95th percentile',
        about: 'Time until the Kubernetes API answers, by verb.',
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
        title: 'Delivery attempts per second, by outcome',
        about: 'A failed attempt is retried for about a day. Runbook: TearsheetDeliveriesFailing.',
        expr: rate('tearsheet_delivery_attempts_total', 'channel, outcome'),
        legend: '{{channel}} {{outcome}}',
        stacked: true,
      },
      {
        title: 'Ended deliveries per second, by outcome',
        about: 'retries_exhausted means that all attempts failed. Runbook: TearsheetDeliveriesExhausted.',
        expr: rate('tearsheet_deliveries_total', 'channel, outcome'),
        legend: '{{channel}} {{outcome}}',
        stacked: true,
      },
      {
        title: 'Delivery attempt duration, 95th percentile',
        about: 'The time that receivers take to answer.',
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
        about: 'Resident memory. The chart values set the limits.',
        expr: `tearsheet_process_resident_memory_bytes{${OF}}`,
        legend: '{{pod}}',
        unit: 'bytes',
      },
      {
        title: 'CPU',
        about: 'CPU seconds per second.',
        expr: `rate(tearsheet_process_cpu_seconds_total{${OF}}[$__rate_interval])`,
        legend: '{{pod}}',
      },
      {
        title: 'Event loop lag, 99th percentile',
        about: 'The time that ready callbacks wait in a process.',
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

/** @returns charts/tearsheet/files/dashboard.json. */
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
