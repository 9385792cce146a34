/** What shares a bound on concurrency: the host of a webhook, or a bucket. One dead receiver then blocks only itself. */
export function deliveryGroup(target: string): string {
  if (!URL.canParse(target)) return 'unreadable';
  const { protocol, host } = new URL(target);
  return `${protocol}//${host}`;
}
