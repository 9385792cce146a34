-- A retake is a new set. The sets and pictures that it repeats never change.
alter table screenshot_sets
  -- The set that this one retakes.
  add column retake_of uuid references screenshot_sets,
  -- The first set of all retakes, so that one query finds them all. Null for a set that is no retake.
  add column original_id uuid references screenshot_sets;
alter table screenshots
  add column retake_of uuid references screenshots,
  add column original_id uuid references screenshots,
  -- The current decision of the reviewers; null if there is none. The table `reviews` has the history.
  add column decision text check (decision in ('approved', 'rejected'));
create index on screenshot_sets (retake_of) where retake_of is not null;
create index on screenshot_sets (original_id, created_at desc) where original_id is not null;
create index on screenshots (retake_of) where retake_of is not null;
create index on screenshots (original_id) where original_id is not null;

-- Every decision and comment of a reviewer. The last row of a set or a screenshot is its review.
create table reviews (
  id bigint generated always as identity primary key,
  set_id uuid not null references screenshot_sets,
  -- Null: the review of the whole set.
  screenshot_id uuid references screenshots,
  decision text not null check (decision in ('approved', 'rejected', 'none')),
  comment text,
  -- The key that was used.
  key_id text references api_keys,
  created_at timestamptz not null default now()
);
create index on reviews (set_id, id) where screenshot_id is null;
create index on reviews (screenshot_id, id) where screenshot_id is not null;

-- `partial`: complete sets approve themselves, and sets with failures wait for a review.
alter table organizations
  drop constraint organizations_review_check,
  add constraint organizations_review_check check (review in ('automatic', 'partial', 'manual'));
