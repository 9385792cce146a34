-- The uploaded file that is the page of a screenshot. It stays as long as a screenshot or an ad uses it.
alter table screenshots add column page_upload_id uuid references uploads;
create index on screenshots (page_upload_id) where page_upload_id is not null;

-- Uploads that nothing else uses expire. The lock lets a request that begins to use one end first.
create function release_uploads(ids uuid[]) returns void language plpgsql as $$
begin
  perform from uploads where id = any(ids) order by id for no key update;
  update uploads u set expires_at = now() where id = any(ids)
    and not exists (select from ads where upload_id = u.id)
    and not exists (select from screenshots where page_upload_id = u.id);
end $$;
create or replace function release_ads() returns trigger language plpgsql as $$
begin
  perform remove_unused_pictures(array(select preview_token from gone where preview_token is not null));
  perform release_uploads(array(select upload_id from gone where upload_id is not null));
  return null;
end $$;
create function release_given_pages() returns trigger language plpgsql as $$
begin
  perform release_uploads(array(select distinct page_upload_id from gone where page_upload_id is not null));
  return null;
end $$;
create trigger release_given_pages after delete on screenshots
  referencing old table as gone for each statement execute function release_given_pages();
