-- Lists with search and filters. Triggers keep the words, so that a process of the version before writes them too.

-- The words of a text as the search compares them: lower case, without punctuation. Long ones are cut.
create function search_words(value text) returns text[] language sql immutable strict parallel safe
return array(
  select distinct left(word, 40)
  from regexp_split_to_table(translate(lower(value), '×', 'x'), '[[:space:]!"#$%&''()*+,./:;<=>?@\[\]^_`{|}~-]+|\\') as word
  where word <> '');

-- Finds texts that have a word with each of these beginnings, and objects whose id begins so.
create function search_query(value text) returns tsquery language sql immutable strict parallel safe
return (
  select nullif(
    coalesce('(' || string_agg(quote_literal(word) || ':*', ' & ') || ')', '')
    || case when lower(btrim(value)) ~ '^[0-9a-f]{8}[0-9a-f-]*$'
        then ' | ' || quote_literal(':id:' || lower(btrim(value))) || ':*' else '' end, '')::tsquery
  from unnest(search_words(value)) as word);

-- `news.example` and `example.com.news.example` both belong to the site `news.example`.
create function site_suffixes(host text) returns text[] language sql immutable strict parallel safe
return array(
  select array_to_string(labels[first:], '.')
  from (select string_to_array(lower(host), '.') as labels) as split,
    generate_series(1, greatest(1, cardinality(labels) - 1)) as first
  where cardinality(labels) - first < 8);

create function host_of(address text) returns text language sql immutable strict parallel safe
return substring(lower(address) from '^(?:[a-z][a-z0-9+.-]*:)?(?://)?(?:[^/?#@]*@)?([^/:?#]+)');

-- What the search knows of a set. It never changes, because screenshots never move and campaigns and ads keep their names.
create table set_search (
  set_id uuid primary key references screenshot_sets on delete cascade,
  -- Words, and with a colon in front the exact values that filters compare. A tsvector holds at most 1 MB.
  words tsvector not null
);

create function words_of_set(wanted uuid) returns tsvector language sql stable
begin atomic
  with shot as materialized (select distinct site_key, device, ad_id from screenshots where set_id = wanted),
  site as (select distinct site_key from shot limit 2000),
  ad as (select a.id, a.name, a.lookup_key from ads a where a.id = any(array(select ad_id from shot)) limit 2000),
  value as (
    select ':org:' || organization_id as v from screenshot_sets where id = wanted
    union select ':id:' || wanted
    union select ':device:' || lower(device) from shot
    union (select distinct ':site:' || left(suffix, 100) from site, unnest(site_suffixes(host_of(site_key))) as suffix limit 2000)
    union select ':id:' || id from ad
  ),
  text as (
    select c.name as t from screenshot_sets s join campaigns c on c.id = s.campaign_id where s.id = wanted
    union all select name from ad
    union all select lookup_key from ad where lookup_key is not null
    union all select regexp_replace(site_key, '^[a-z][a-z0-9+.-]*://', '') from site
  ),
  word as (select distinct w from text, unnest(search_words(t)) as w limit 4000)
  select array_to_tsvector(array(select v from value union select w from word));
end;

create function index_sets() returns trigger language plpgsql as $$
begin
  insert into set_search (set_id, words)
  select id, words_of_set(id) from (select distinct set_id as id from added) as changed
  on conflict (set_id) do update set words = excluded.words;
  return null;
end
$$;
create trigger index_sets after insert on screenshots
  referencing new table as added for each statement execute function index_sets();

insert into set_search (set_id, words) select id, words_of_set(id) from screenshot_sets;
create index on set_search using gin (words);

create function words_of_ad(id uuid, organization_id uuid, name text, lookup_key text) returns tsvector
language sql immutable parallel safe
return array_to_tsvector(
  array[':org:' || organization_id, ':id:' || id] || search_words(left(name, 2000)) || search_words(coalesce(lookup_key, '')));
create index ads_search on ads using gin (words_of_ad(id, organization_id, name, lookup_key));

create function words_of_campaign(id uuid, organization_id uuid, name text) returns tsvector
language sql immutable parallel safe
return array_to_tsvector(array[':org:' || organization_id, ':id:' || id] || search_words(name));
create index campaigns_search on campaigns using gin (words_of_campaign(id, organization_id, name));

create index on screenshot_sets (campaign_id, created_at desc, id);
create index on screenshot_sets (campaign_id) where status = 'in_review';
create index on ads (campaign_id, created_at desc, id);
-- The index above begins with the same column.
drop index ads_campaign_id_idx;

-- When the last set or ad was requested, at most a minute behind.
alter table campaigns add column active_at timestamptz not null default now();
update campaigns c set active_at = greatest(c.created_at,
  (select max(created_at) from screenshot_sets where campaign_id = c.id), (select max(created_at) from ads where campaign_id = c.id));

-- Skips a campaign that another request is writing, so that requests never wait for each other.
create function note_activity() returns trigger language plpgsql as $$
begin
  update campaigns set active_at = now() where id in (
    select c.id from campaigns c where c.id in (select campaign_id from added)
      and c.active_at < now() - interval '1 minute' for no key update skip locked);
  return null;
end
$$;
create trigger note_activity after insert on screenshot_sets
  referencing new table as added for each statement execute function note_activity();
create trigger note_activity after insert on ads
  referencing new table as added for each statement execute function note_activity();

create index on campaigns (organization_id, active_at desc, id);
create index on campaigns (organization_id, created_at desc, id);
create index on screenshot_sets (organization_id, status, created_at desc, id);
create index on ads (organization_id, status, created_at desc, id);
create index on ads (organization_id, name, id desc);
-- Counts the screenshots of a list page without reading them.
create index on screenshots (set_id, status);
