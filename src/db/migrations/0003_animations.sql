-- The animation of a picture: {"seconds", "fps", "webp": {"token", "bytes", "width", "height"}, "gif": {…}}, null if there is none.
alter table screenshots add column animation jsonb;

-- The frames of an ad for animations. Their files are not pictures that are served: they are removed when the job ends.
alter table job_creatives
  -- [{"seconds", "fps", "ratio"}, …]
  add column wanted_films jsonb not null default '[]',
  -- The same, with the file or the reason why there is none.
  add column films jsonb not null default '[]';

create function remove_animations() returns trigger language plpgsql as $$
begin
  delete from images where token in (select animation->format->>'token' from gone, unnest(array['webp', 'gif']) as format);
  return null;
end $$;
create trigger remove_animations after delete on screenshots
  referencing old table as gone for each statement execute function remove_animations();
