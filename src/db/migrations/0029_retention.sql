-- Retention of events, deliveries and answers to requests.
alter table organizations
  -- Days, as those of sets. Null: as the operator chose.
  add column event_retention_days integer check (event_retention_days > 0),
  add column delivery_retention_days integer check (delivery_retention_days > 0),
  add column request_retention_days integer check (request_retention_days > 0);

-- What the event is about, if its deliveries were removed before it. Otherwise its deliveries say so, and these are null.
alter table events
  add column ad_id uuid,
  add column set_id uuid;

alter table event_replays
  -- When the replay was stored, made its last step, or was enqueued again.
  add column stepped_at timestamptz not null default now();
