-- Removing sets. A marked set is hidden at once, and a job removes its files and rows in small steps.
alter table organizations
  -- Sets are removed this many days after their request. Null: as the operator chose.
  add column set_retention_days integer check (set_retention_days > 0);
alter table screenshot_sets
  -- Since then the set is hidden.
  add column removed_at timestamptz,
  -- The process that removes it has this long for one step.
  add column removing_until timestamptz,
  -- Since then only the row itself and that of its job are left.
  add column emptied_at timestamptz;
create index on screenshot_sets (removed_at) where removed_at is not null;
-- A removed picture keeps its row without content, so that its address can say that it was removed.
alter table images add column removed_at timestamptz;

-- Ids of removed sets, screenshots and share links, so that their addresses can say that they were removed.
create table tombstones (
  id uuid primary key,
  organization_id uuid not null references organizations,
  removed_at timestamptz not null default now()
);
create index on tombstones (organization_id);

-- Removing a set checks the rows that refer to it.
create index on reviews (set_id);
