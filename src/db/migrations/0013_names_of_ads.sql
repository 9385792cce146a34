-- A media plan names ads in any case.
create index ads_name on ads (organization_id, lower(name));
