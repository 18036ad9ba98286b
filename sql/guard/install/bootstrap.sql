-- What has to be there before the first migration: the schema, and which functions it has.
create schema if not exists fence;

-- Functions are replaced as a whole set. functions_version is never lowered, so that an older instance
-- that starts during a rolling deploy leaves the newer functions alone.
create table if not exists fence.installed (
    schema_name       text not null,
    functions_version int  not null,
    functions_digest  text not null,
    constraint installed_key primary key (schema_name)
);
