-- Quotas of organizations, and what they used. It needs no migration with a higher number.
alter table organizations
  -- Screenshots that the organization may request on a day. Null: as the operator's settings say.
  add column pictures_per_day integer check (pictures_per_day > 0),
  -- Captures that may run at the same time. Null: as the operator's settings say.
  add column running_captures integer check (running_captures > 0);

-- Screenshots that an organization requested on each day (UTC). Those of removed sets stay counted.
create table usage_days (
  organization_id uuid not null references organizations,
  day date not null,
  pictures integer not null,
  primary key (organization_id, day)
);
insert into usage_days (organization_id, day, pictures)
  select s.organization_id, (s.created_at at time zone 'utc')::date, count(*)
  from screenshot_sets s join screenshots p on p.set_id = s.id
  where s.created_at > now() - interval '100 days'
  group by 1, 2;
