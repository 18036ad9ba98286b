-- Says that the set of functions of a schema is about to be replaced: $1 schema, $2 version, $3 digest.
-- A row comes back if it is to be; none if this very set, or a newer one, is in place.
insert into fence.installed as i (schema_name, functions_version, functions_digest)
values ($1, $2, $3)
on conflict on constraint installed_key do update
    set functions_version = excluded.functions_version, functions_digest = excluded.functions_digest
    where i.functions_version < excluded.functions_version
       or i.functions_version = excluded.functions_version
          and i.functions_digest <> excluded.functions_digest
returning true
