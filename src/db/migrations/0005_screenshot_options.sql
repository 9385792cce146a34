-- The size that the client gave for a creative, in CSS pixels; null if it gave none.
alter table ads add column given_width integer, add column given_height integer;
-- Facts that the reader of a picture should know: [{"code","message"}].
alter table ads add column warnings jsonb not null default '[]';
alter table screenshots add column warnings jsonb not null default '[]';
alter table job_creatives add column warnings jsonb not null default '[]';
-- Options of the screenshot that differ from the defaults of the API; null if all have their defaults.
alter table screenshots add column options jsonb;
