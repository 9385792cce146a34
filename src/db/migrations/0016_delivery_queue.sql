-- Workers find the deliveries that are due by organization and receiver. The expression is the one of deliveryQueue.ts.
create index deliveries_queue on deliveries (
  channel,
  organization_id,
  coalesce(lower(substring(target from '^[^:]+://(?:[^/?#]*@)?([^/?#]+)')), ''),
  next_attempt_at
) where status = 'pending';

alter table deliveries drop constraint deliveries_status_check;
alter table deliveries add constraint deliveries_status_check
  check (status in ('pending', 'delivered', 'retries_exhausted', 'gone', 'refused')) not valid;
