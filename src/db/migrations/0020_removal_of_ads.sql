-- Renaming and removing ads and campaigns. They are marked and then removed in steps, as sets are.
alter table campaigns
  add column removed_at timestamptz,
  -- The next step begins after this time.
  add column removing_until timestamptz;
create index on campaigns (removed_at) where removed_at is not null;
alter table ads
  add column removed_at timestamptz,
  add column removing_until timestamptz;
create index on ads (removed_at) where removed_at is not null;
-- The steps of a removed campaign mark what is left in it.
create index on ads (campaign_id) where removed_at is null;
create index on screenshot_sets (campaign_id) where removed_at is null;
create index on screenshot_sets (campaign_id) where status in ('draft', 'capturing');

-- Ads and campaigns with a new name. A job writes the new words into the search of their sets, in steps.
create table renamed_objects (
  id uuid primary key,
  kind text not null check (kind in ('ad', 'campaign')),
  -- The last set whose words are new.
  after uuid,
  renamed_at timestamptz not null default now(),
  -- Grows with each new name, so that a step of an old one ends nothing.
  version integer not null default 1,
  -- The process that takes a step has this long for it.
  step_until timestamptz
);
