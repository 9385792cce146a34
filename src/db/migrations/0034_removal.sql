-- Removing an object deletes its rows at once, with all rows that belong to it. Triggers note the files of deleted rows for the
-- sweeper, and the ids that answer 410.

create table removed_files (
  -- The key of a picture stands for all files that are made from it, too.
  key text primary key,
  -- The sweeper deletes the file after this time. Until then a process may still write it.
  due_at timestamptz not null default now()
);
create index on removed_files (due_at);

-- Also tokens of pictures.
alter table tombstones alter column id type text;

-- The job of a removed set stays for eight days, because its ScreenshotJob may be in the cluster as long.
alter table screenshot_jobs drop constraint screenshot_jobs_set_id_fkey,
  add foreign key (set_id) references screenshot_sets on delete set null;
create index screenshot_jobs_of_removed_sets on screenshot_jobs (settled_at) where set_id is null and name like 'set-%';

-- A retake outlives the set that it repeats.
alter table screenshot_sets drop constraint screenshot_sets_retake_of_fkey, drop constraint screenshot_sets_original_id_fkey,
  add foreign key (retake_of) references screenshot_sets on delete set null,
  add foreign key (original_id) references screenshot_sets on delete set null;
alter table screenshots drop constraint screenshots_set_id_fkey,
  drop constraint screenshots_retake_of_fkey, drop constraint screenshots_original_id_fkey,
  add foreign key (set_id) references screenshot_sets on delete cascade,
  add foreign key (retake_of) references screenshots on delete set null,
  add foreign key (original_id) references screenshots on delete set null;
alter table reviews drop constraint reviews_set_id_fkey, drop constraint reviews_screenshot_id_fkey,
  add foreign key (set_id) references screenshot_sets on delete cascade,
  add foreign key (screenshot_id) references screenshots on delete cascade;
alter table share_links drop constraint share_links_set_id_fkey,
  add foreign key (set_id) references screenshot_sets on delete cascade;
alter table exports drop constraint exports_set_id_fkey,
  add foreign key (set_id) references screenshot_sets on delete cascade;
alter table subscribers drop constraint subscribers_set_id_fkey, drop constraint subscribers_ad_id_fkey,
  add foreign key (set_id) references screenshot_sets on delete cascade,
  add foreign key (ad_id) references ads on delete cascade;
alter table webhook_endpoints drop constraint webhook_endpoints_id_fkey,
  add foreign key (id) references subscribers on delete cascade;

alter table job_indexes drop constraint job_indexes_job_id_fkey,
  add foreign key (job_id) references screenshot_jobs on delete cascade;
alter table declared_uploads drop constraint declared_uploads_job_id_fkey,
  add foreign key (job_id) references screenshot_jobs on delete cascade;
alter table job_creatives drop constraint job_creatives_job_id_fkey, drop constraint job_creatives_ad_id_fkey,
  add foreign key (job_id) references screenshot_jobs on delete cascade,
  add foreign key (ad_id) references ads on delete cascade;
alter table creative_frames drop constraint creative_frames_job_id_ad_id_fkey,
  add foreign key (job_id, ad_id) references job_creatives on delete cascade;

-- Events outlive their ad or set, and so do deliveries to webhook endpoints. They keep its id.
update events e set ad_id = d.ad_id, set_id = d.set_id from deliveries d
  where d.event_id = e.id and e.ad_id is null and e.set_id is null and coalesce(d.ad_id, d.set_id) is not null;
alter table deliveries drop constraint deliveries_ad_id_fkey, drop constraint deliveries_set_id_fkey,
  drop constraint deliveries_event_id_fkey, drop constraint deliveries_subscriber_id_fkey,
  add foreign key (event_id) references events on delete cascade,
  add foreign key (subscriber_id) references subscribers on delete cascade;
alter table delivery_attempts drop constraint delivery_attempts_delivery_id_fkey,
  add foreign key (delivery_id) references deliveries on delete cascade;
alter table api_keys drop constraint api_keys_created_by_fkey,
  add foreign key (created_by) references api_keys on delete set null;

-- The check of a deleted picture looks for rows that refer to it. `screenshots` has two equal indexes.
drop index screenshots_image_token_idx1;
create index on creative_frames (image_token);
create index on ads (preview_token) where preview_token is not null;
create index on branding (logo_token) where logo_token is not null;
-- The oldest rows go first.
create index on events (created_at);
create index on idempotency_keys (created_at);
drop index idempotency_keys_age, deliveries_finished;

create function bury() returns trigger language plpgsql as $$
begin
  insert into tombstones (id, organization_id) select id, organization_id from gone on conflict do nothing;
  return null;
end $$;
create trigger bury after delete on campaigns referencing old table as gone for each statement execute function bury();
create trigger bury after delete on ads referencing old table as gone for each statement execute function bury();
create trigger bury after delete on share_links referencing old table as gone for each statement execute function bury();

-- Runs before the screenshots and the link to the job are gone.
create function bury_set() returns trigger language plpgsql as $$
begin
  insert into tombstones (id, organization_id)
    select old.id, old.organization_id union all select id, old.organization_id from screenshots where set_id = old.id
    on conflict do nothing;
  delete from job_creatives where job_id in (select id from screenshot_jobs where set_id = old.id);
  return old;
end $$;
create trigger bury before delete on screenshot_sets for each row execute function bury_set();

create function note_pictures() returns trigger language plpgsql as $$
begin
  insert into tombstones (id, organization_id) select token, organization_id from gone on conflict do nothing;
  insert into removed_files (key) select artifact_key from gone where artifact_key <> '' on conflict do nothing;
  return null;
end $$;
create trigger note_files after delete on images referencing old table as gone for each statement execute function note_pictures();

create function remove_screenshot_pictures() returns trigger language plpgsql as $$
begin
  delete from images where token in (select image_token from gone);
  return null;
end $$;
create trigger remove_pictures after delete on screenshots
  referencing old table as gone for each statement execute function remove_screenshot_pictures();

-- The preview of an ad is one of the frames of its creatives, so two rows may name it.
create function remove_unused_pictures(tokens text[]) returns void language sql
begin atomic
  delete from images i where token = any(tokens)
    and not exists (select from creative_frames where image_token = i.token)
    and not exists (select from ads where preview_token = i.token)
    and not exists (select from screenshots where image_token = i.token);
end;
create function remove_frame_pictures() returns trigger language plpgsql as $$
begin
  perform remove_unused_pictures(array(select image_token from gone));
  return null;
end $$;
create trigger remove_pictures after delete on creative_frames
  referencing old table as gone for each statement execute function remove_frame_pictures();

-- An upload that no other ad uses expires. The lock lets a request that begins to use it end first.
create function release_ads() returns trigger language plpgsql as $$
begin
  perform remove_unused_pictures(array(select preview_token from gone where preview_token is not null));
  perform from uploads where id in (select upload_id from gone) order by id for no key update;
  update uploads u set expires_at = now()
    where id in (select upload_id from gone) and not exists (select from ads where upload_id = u.id);
  return null;
end $$;
create trigger release after delete on ads referencing old table as gone for each statement execute function release_ads();

create function note_uploads() returns trigger language plpgsql as $$
begin
  insert into removed_files (key) select 'uploads/' || id from gone on conflict do nothing;
  return null;
end $$;
create trigger note_files after delete on uploads referencing old table as gone for each statement execute function note_uploads();

-- Each attempt may have left a file. An export that is being built may write its file for an hour more.
create function note_export() returns trigger language plpgsql as $$
begin
  insert into removed_files (key, due_at)
    select 'exports/' || old.id || '/' || n || '.' || old.format,
      now() + case when old.status = 'building' then interval '1 hour' else interval '0' end
    from generate_series(1, old.attempt) as n
    on conflict do nothing;
  return null;
end $$;
create trigger note_files after delete on exports for each row execute function note_export();
create trigger note_files_of_ended after update of status on exports for each row
  when (new.status in ('expired', 'failed') and new.status <> old.status) execute function note_export();
create index on exports (expires_at) where status = 'ready';

-- Objects that an earlier version had marked.
insert into tombstones (id, organization_id) select token, organization_id from images where removed_at is not null
  on conflict do nothing;
delete from screenshot_sets where removed_at is not null or campaign_id in (select id from campaigns where removed_at is not null);
delete from ads a where (removed_at is not null or campaign_id in (select id from campaigns where removed_at is not null))
  and not exists (select from screenshots where ad_id = a.id);
delete from campaigns c where removed_at is not null and not exists (select from ads where campaign_id = c.id);
delete from images i where removed_at is not null
  and not exists (select from screenshots where image_token = i.token) and not exists (select from creative_frames where image_token = i.token)
  and not exists (select from ads where preview_token = i.token) and not exists (select from branding where logo_token = i.token);
insert into removed_files (key, due_at)
  select left(d.picture, -4) || '-' || content || '.png', now() + interval '20 minutes'
  from declared_uploads d join screenshot_jobs j on j.id = d.job_id, unnest(d.contents) as content
  where j.settled_at is not null on conflict do nothing;
delete from declared_uploads where job_id in (select id from screenshot_jobs where settled_at is not null);

alter table campaigns drop column removed_at, drop column removing_until;
alter table ads drop column removed_at, drop column removing_until;
alter table screenshot_sets drop column removed_at, drop column removing_until, drop column emptied_at;
alter table images drop column removed_at;
create index ads_drafts on ads (created_at) where source = 'draft';

-- After a new name of an ad or a campaign, the words of its sets are written again.
alter table set_search add column stale boolean not null default false;
create index on set_search (set_id) where stale;
drop table renamed_objects;

alter table organizations
  drop column event_retention_days, drop column delivery_retention_days, drop column request_retention_days;
