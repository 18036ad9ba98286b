-- Whether this server takes writes: a standby does not, nor does one that was set to read only.
select current_setting('transaction_read_only') = 'off'
