-- Replays of all events of a period. A worker sends them in steps, and stores after each step how far it came.
create table event_replays (
  id uuid primary key,
  organization_id uuid not null references organizations,
  range_from timestamptz not null,
  range_to timestamptz not null,
  -- Null: all topics.
  topic text,
  -- Only to this webhook endpoint. Null: to the receivers that had the events.
  endpoint_id uuid references webhook_endpoints,
  only_failed boolean not null,
  status text not null default 'running' check (status in ('running', 'finished', 'failed')),
  -- Why it failed.
  reason text,
  -- The events of the period at the request, those behind us, and the deliveries that were sent again.
  events integer not null,
  events_done integer not null default 0,
  deliveries integer not null default 0,
  -- The last event of the last step.
  last_event_at timestamptz,
  last_event_id uuid,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);
create index on event_replays (organization_id, created_at desc);
