-- A share link or an export is about one set, or about all sets of a campaign, those requested later too.
alter table share_links
  alter column set_id drop not null,
  add column campaign_id uuid references campaigns on delete cascade,
  add constraint share_links_owner check (num_nonnulls(set_id, campaign_id) = 1);
create index on share_links (campaign_id, created_at desc, id) where campaign_id is not null;
alter table exports
  alter column set_id drop not null,
  add column campaign_id uuid references campaigns on delete cascade,
  add constraint exports_owner check (num_nonnulls(set_id, campaign_id) = 1);
create unique index exports_one_file_of_campaign on exports (campaign_id, fingerprint)
  where status in ('pending', 'building', 'ready');
create index on exports (campaign_id, created_at desc) where campaign_id is not null;
-- The chosen screenshots of files and of links have one name.
update exports set options = options - 'screenshots' || jsonb_build_object('screenshot_ids', options->'screenshots')
  where options ? 'screenshots' and status in ('pending', 'building');
