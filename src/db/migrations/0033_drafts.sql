-- Ads that the page of a new request made have a source of their own. Ads of clients may be in a campaign of the same name.
alter table ads drop constraint ads_source_check;
alter table ads add constraint ads_source_check check (source in ('create_ad', 'screenshot_request', 'draft'));
do $$
declare name text;
begin
  for name in select indexname from pg_indexes
    where schemaname = current_schema() and tablename = 'ads' and indexdef like '%source = ''create_ad''%'
  loop
    execute format('drop index %I', name);
  end loop;
end $$;
create index ads_pending on ads (organization_id, created_at, id) where status = 'pending' and source <> 'screenshot_request';
create index ads_drafts on ads (organization_id, created_at) where source = 'draft' and removed_at is null;
