-- What a set was requested to show, for example "6 ads × 5 sites, Desktop and iPhone". It names the set until a person
-- does. Null in sets of earlier versions.
alter table screenshot_sets add column contents text,
  -- Among the sets of the campaign with the same contents, from 1.
  add column nth integer not null default 1,
  -- Among the set and its retakes, from 1.
  add column round integer not null default 1;

update screenshot_sets s set round = r.round
from (
  select id, row_number() over (partition by original_id order by created_at, id) + 1 as round
  from screenshot_sets where original_id is not null
) r
where r.id = s.id;

create index screenshot_sets_by_contents on screenshot_sets (campaign_id, contents, nth)
  where contents is not null and original_id is null;
