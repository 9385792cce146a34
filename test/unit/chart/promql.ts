import { parser } from '@prometheus-io/lezer-promql';

/** The metrics that a PromQL expression reads. @throws Error where Prometheus's own grammar does not accept it. */
export function metricsOf(expression: string): string[] {
  const names: string[] = [];
  parser.parse(expression).iterate({
    enter: (node) => {
      if (node.type.isError) throw new Error(`No PromQL near character ${node.from}: ${expression}`);
      if (node.name === 'Identifier' && node.node.parent?.name === 'VectorSelector')
        names.push(expression.slice(node.from, node.to));
    },
  });
  return [...new Set(names)];
}
