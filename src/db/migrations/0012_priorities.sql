-- How urgent sets are, and when their first picture was stored.

alter table organizations
  -- Of requests that name no priority.
  add column default_priority text not null default 'normal' check (default_priority in ('low', 'normal', 'high')),
  -- No request of the organization may name a higher one.
  add column max_priority text not null default 'high' check (max_priority in ('low', 'normal', 'high')),
  add check (array_position(array['low', 'normal', 'high'], default_priority)
    <= array_position(array['low', 'normal', 'high'], max_priority));

alter table screenshot_sets
  add column priority text not null default 'normal',
  -- Not valid, as in 0006.
  add check (priority in ('low', 'normal', 'high')) not valid,
  add column first_picture_at timestamptz;

-- The oldest of each organization and priority are read, whatever the number of sets that wait behind them. Beside the
-- index of the version before, PostgreSQL would read all of them.
drop index screenshot_sets_waiting;
create index screenshot_sets_turns on screenshot_sets (organization_id, priority, created_at, id)
  where status = 'draft' and cancel_requested_at is null;
