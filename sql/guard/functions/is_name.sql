-- fence.is_name: whether a text can be a name: so many bytes at most, and no control character. The same rule
-- as in Rust. Of bytes, whatever collation the text comes with: some have no regular expressions.
create or replace function fence.is_name(p_text text, p_least int, p_most int)
returns boolean language sql immutable as $$
    select p_text is not null and octet_length(p_text) between p_least and p_most
       and p_text collate "C" !~ '[\u0001-\u001f\u007f-\u009f]'
$$;
