/**
 * @returns the group of a delivery: the host of a webhook, or a bucket. The queue limits concurrency for each group, so a
 * receiver that does not answer delays only its own deliveries.
 */
export function deliveryGroup(target: string): string {
  if (!URL.canParse(target)) return 'unreadable';
  const { protocol, host } = new URL(target);
  return `${protocol}//${host}`;
}
