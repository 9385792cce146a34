-- Whether people with the link may download the pictures as PPTX, PDF or ZIP.
alter table share_links add column downloads boolean not null default false;
