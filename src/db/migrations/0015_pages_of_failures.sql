-- The picture of the page on which a screenshot failed. Screenshots of one set that fail on the same page share it, so it
-- is removed with the last of them. There is no foreign key, because a version before this one deletes pictures without it.
alter table screenshots add column page_token text;

create function remove_page_pictures() returns trigger language plpgsql as $$
begin
  delete from images where token in (select page_token from gone where page_token is not null
    and not exists (select from screenshots s where s.set_id = gone.set_id and s.page_token = gone.page_token));
  return null;
end $$;
create trigger remove_page_pictures after delete on screenshots
  referencing old table as gone for each statement execute function remove_page_pictures();
