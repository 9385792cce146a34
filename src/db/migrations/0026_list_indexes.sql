-- One by one: `create index concurrently` lets other processes write while it runs, and cannot be in a transaction.

-- Lists with a filter whose value is rare: without these, a page reads all rows of an organization.
create index concurrently if not exists events_topic on events (organization_id, topic, created_at desc, id);
create index concurrently if not exists deliveries_status on deliveries (organization_id, status, created_at desc, id)
  where status <> 'delivered';
create index concurrently if not exists deliveries_s3 on deliveries (organization_id, created_at desc, id) where channel = 's3';
create index concurrently if not exists ads_lookup_key on ads (organization_id, lookup_key) where lookup_key is not null;
create index concurrently if not exists audit_log_action on audit_log (organization_id, action, created_at desc, id);
create index concurrently if not exists audit_log_actor_type on audit_log (organization_id, actor_type, created_at desc, id);
create index concurrently if not exists audit_log_actor_key on audit_log (organization_id, actor_key_id, created_at desc, id)
  where actor_key_id is not null;
