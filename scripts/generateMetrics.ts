import { createMetrics } from '../src/observe/metrics.ts';

const HEAD = `# Metrics

Every process serves these at \`/metrics\` of its \`METRICS_PORT\`, in the text format of Prometheus. Pictures and deliveries are
counted from 0 on, every other series appears with its first event. This page is generated from \`src/observe/metrics.ts\`.

| name | kind | labels | meaning |
|---|---|---|---|
`;

const FOOT = `
Beside them stand \`tearsheet_process_*\` and \`tearsheet_nodejs_*\`: CPU, memory, open files, event loop and garbage collection
of the process, as the Prometheus client for Node defines them.
`;

/** docs/metrics.md, from the registry itself. */
export async function generateMetrics(): Promise<string> {
  const metrics = await createMetrics({ processMetrics: false }).describe();
  const rows = metrics.map(({ name, kind, labels, help }) => {
    const names = labels.map((label) => `\`${label}\``).join(', ') || '–';
    return `| \`${name}\` | ${kind} | ${names} | ${help} |\n`;
  });
  return HEAD + rows.join('') + FOOT;
}
