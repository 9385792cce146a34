-- One by one: `create index concurrently` lets other processes write while it runs, and cannot be in a transaction.

-- The oldest rows of one organization, which its retention removes first.
create index concurrently if not exists deliveries_finished on deliveries (organization_id, finished_at) where finished_at is not null;
create index concurrently if not exists idempotency_keys_age on idempotency_keys (organization_id, created_at);
drop index concurrently if exists idempotency_keys_created_at_idx;

-- Drafts that no request used. The new index also serves the steps of a removed campaign.
create index concurrently if not exists ads_of_campaign on ads (campaign_id, created_at) where removed_at is null;
drop index concurrently if exists ads_campaign_id_idx1;

-- Events that stay without their deliveries.
create index concurrently if not exists events_ad on events (ad_id) where ad_id is not null;
create index concurrently if not exists events_set on events (set_id) where set_id is not null;

-- The audit looks for replays without progress.
create index concurrently if not exists event_replays_running on event_replays (stepped_at) where status = 'running';
