import { createMetrics } from '../src/observe/metrics.ts';

const HEAD = `# Metrics

Every process serves these metrics at \`/metrics\` on \`METRICS_PORT\`, in the text format of Prometheus. The counters of
screenshots and deliveries start at 0; each other series appears with its first event. \`make generate\` writes this page
from \`src/observe/metrics.ts\`.

| name | kind | labels | meaning |
|---|---|---|---|
`;

/** @returns docs/metrics.md, made from the metrics registry. */
export async function generateMetrics(): Promise<string> {
  const metrics = await createMetrics().describe();
  const rows = metrics.map(({ name, kind, labels, help }) => {
    const names = labels.map((label) => `\`${label}\``).join(', ') || '–';
    return `| \`${name}\` | ${kind} | ${names} | ${help} |\n`;
  });
  return HEAD + rows.join('');
}
