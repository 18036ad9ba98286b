# Makes a Python environment that has psycopg 3, with the libpq that comes in its wheel.
#
# arguments  its folder; what an interrupted run left there is replaced

set -eu
python3 -m venv --clear "$1"
"$1/bin/python3" -m pip --quiet --disable-pip-version-check install 'psycopg[binary]>=3.1,<4'
