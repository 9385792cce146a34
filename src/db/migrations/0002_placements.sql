-- A page and its candidate slots, before an ad is placed.
create table placements (
  -- Its job has the same id, and the name placement-<id>.
  id uuid primary key,
  organization_id uuid not null references organizations,
  -- As the client sent it, perhaps without a scheme.
  site_url text not null,
  device text not null,
  -- The sizes of ads: [{"width": number, "height": number}, …]
  sizes jsonb not null,
  -- As in screenshots.
  status text not null default 'pending' check (status in ('pending', 'uploaded', 'ad_not_captured', 'net_read_timeout',
    'no_slots', 'not_found', 'blocked', 'generic_error', 'canceled')),
  reason text,
  image_token text references images,
  captured_at timestamptz,
  -- What was found: the page and its slots for each size.
  record jsonb,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index on placements (organization_id);
create index placements_pending on placements (organization_id, created_at, id) where status = 'pending';
create index on placements (expires_at) where status <> 'pending';
create index on placements (image_token) where image_token is not null;

create trigger bury after delete on placements referencing old table as gone for each statement execute function bury();
create trigger remove_pictures after delete on placements
  referencing old table as gone for each statement execute function remove_screenshot_pictures();

-- The job of a removed placement stays as long as the job of a removed set.
drop index screenshot_jobs_of_removed_sets;
create index screenshot_jobs_of_removed_sets on screenshot_jobs (settled_at) where set_id is null and name not like 'ads-%';
