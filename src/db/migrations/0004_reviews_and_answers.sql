-- Comments in threads, and answers of clients who have a share link.

alter table share_links
  -- Whether people with the link may answer and comment.
  add column answers boolean not null default false,
  -- A salt of 16 bytes, then the scrypt hash. Null: the link needs no password.
  add column password_hash bytea,
  -- approved: only pictures that a reviewer approved, or whose set is approved.
  add column pictures text not null default 'all' check (pictures in ('all', 'approved'));

create table comments (
  id uuid primary key,
  organization_id uuid not null references organizations,
  -- The set of the picture, or the set itself if the comment is about no single picture.
  set_id uuid not null references screenshot_sets on delete cascade,
  screenshot_id uuid references screenshots on delete cascade,
  -- The first comment of the thread. Null: this is the first one.
  thread_id uuid references comments on delete cascade,
  body text not null,
  -- The pin, as fractions of the width and height of the picture.
  pin_x double precision check (pin_x between 0 and 1),
  pin_y double precision check (pin_y between 0 and 1),
  -- The author is a key of the organization, or a client with a share link.
  key_id text references api_keys,
  share_id uuid references share_links on delete cascade,
  client_name text,
  client_email text,
  client_address text,
  created_at timestamptz not null default clock_timestamp(),
  resolved_at timestamptz,
  resolved_by text references api_keys,
  check ((key_id is null) <> (share_id is null)),
  check ((pin_x is null) = (pin_y is null))
);
create index comments_of_sets on comments (set_id, created_at desc, id);
create index comments_of_screenshots on comments (screenshot_id, created_at desc, id) where screenshot_id is not null;
create index on comments (thread_id) where thread_id is not null;
create index on comments (share_id) where share_id is not null;
create trigger bury after delete on comments referencing old table as gone for each statement execute function bury();

-- Every answer of a client. It changes no decision of a reviewer.
create table share_answers (
  id uuid primary key,
  organization_id uuid not null references organizations,
  share_id uuid not null references share_links on delete cascade,
  set_id uuid not null references screenshot_sets on delete cascade,
  -- Null: all pictures that the link showed. No reference, because the answer outlives a removed retake.
  screenshot_id uuid,
  -- How many pictures it is about.
  pictures integer not null,
  answer text not null check (answer in ('approved', 'changes_requested')),
  comment_id uuid references comments on delete set null,
  client_name text not null,
  client_email text not null,
  client_address text,
  created_at timestamptz not null default clock_timestamp()
);
create index on share_answers (set_id, created_at desc, id);
create index on share_answers (share_id);
create index on share_answers (comment_id) where comment_id is not null;

-- The newest answer about each picture.
create table latest_answers (
  screenshot_id uuid primary key references screenshots on delete cascade,
  answer_id uuid not null references share_answers on delete cascade
);
create index on latest_answers (answer_id);

-- The page of a set shows who did what.
create index audit_log_object on audit_log (organization_id, object_id, created_at desc, id) where object_id is not null;

-- As before. Events with names and e-mail addresses of clients go with their set.
create or replace function bury_set() returns trigger language plpgsql as $$
begin
  insert into tombstones (id, organization_id)
    select old.id, old.organization_id union all select id, old.organization_id from screenshots where set_id = old.id
    on conflict do nothing;
  delete from job_creatives where job_id in (select id from screenshot_jobs where set_id = old.id);
  delete from events where set_id = old.id and topic = 'share.answered';
  return old;
end $$;
