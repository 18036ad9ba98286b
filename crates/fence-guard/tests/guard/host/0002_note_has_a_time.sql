alter table note add column at timestamptz not null default now();
