-- Requests that repeat during a flight.
create table schedules (
  id uuid primary key,
  organization_id uuid not null references organizations,
  name text not null,
  -- Without its campaign a schedule has nothing to request.
  campaign_id uuid not null references campaigns on delete cascade,
  -- The JSON body of a screenshot request, which names campaign and ads by their ids. Its unknown fields may hold
  -- characters that jsonb cannot.
  request text not null,
  -- {"cron": text} or {"days": [text, …], "start": "08:00", "end": "10:00"}
  rule jsonb not null,
  -- The IANA name.
  time_zone text not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  missed text not null check (missed in ('once', 'skip')),
  paused_at timestamptz,
  -- Why the service paused it. Null: a person did.
  paused_reason text,
  -- The next run. Null: paused, or there is no further one.
  due_at timestamptz,
  -- When maintenance last added a missing wake-up entry.
  woken_at timestamptz,
  -- Refused runs since the last one that made a set.
  refused_runs integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (paused_at is null or due_at is null)
);
create index on schedules (organization_id, created_at, id);
create index on schedules (campaign_id);
create index on schedules (due_at) where due_at is not null;
create trigger bury after delete on schedules referencing old table as gone for each statement execute function bury();

-- One row for each due time, so that no due time makes two sets.
create table schedule_runs (
  schedule_id uuid not null references schedules on delete cascade,
  due_at timestamptz not null,
  ran_at timestamptz not null default now(),
  outcome text not null check (outcome in ('requested', 'refused', 'skipped')),
  set_id uuid references screenshot_sets on delete cascade,
  -- Why there is no set.
  reason text,
  primary key (schedule_id, due_at),
  check ((outcome = 'requested') = (set_id is not null)),
  check ((outcome = 'requested') = (reason is null))
);
create unique index on schedule_runs (set_id);
create index on schedule_runs (ran_at) where set_id is null;

-- The schedule that requested the set. It stays when the schedule is deleted, so there is no foreign key.
alter table screenshot_sets add column schedule_id uuid;
