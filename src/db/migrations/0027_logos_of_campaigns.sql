-- The logo of the client, for the covers of exports. It is removed with its campaign, and when another one replaces it.
alter table campaigns add column logo_token text references images;
create index on campaigns (logo_token) where logo_token is not null;
create function remove_campaign_logo() returns trigger language plpgsql as $$
begin
  delete from images where token = old.logo_token and token is distinct from new.logo_token;
  return null;
end $$;
create trigger remove_logo after delete or update of logo_token on campaigns for each row
  when (old.logo_token is not null) execute function remove_campaign_logo();
