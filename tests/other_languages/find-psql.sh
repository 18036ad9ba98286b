# Prints the path of a psql: the one in the folder that PG_BIN names; where that has none, the first of PATH's,
# and of those that stand beside an installed Postgres.
#
# Without one it says on the standard error, in one line, what helps, and exits with 1.

for psql in "${PG_BIN-}/psql" "$(command -v psql)" /usr/lib/postgresql/*/bin/psql \
    /opt/homebrew/opt/postgresql@*/bin/psql /usr/local/opt/postgresql@*/bin/psql; do
    if "$psql" --version >/dev/null 2>&1; then
        echo "$psql"
        exit
    fi
done
echo 'no psql: install it with `apt-get install postgresql-client` or `brew install postgresql`,' \
    'or set PG_BIN to the folder that has it' >&2
exit 1
