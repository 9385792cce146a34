-- The devices that words of media plans mean: {"desktop hp": "desktop"}. The words are in lower case.
alter table organizations add column plan_words jsonb not null default '{}';
