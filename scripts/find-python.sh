# SPDX-License-Identifier: Apache-2.0
# Sourced by scripts/lab and scripts/test: sets PYTHON to a Python 3.11 or newer, or says what is missing and ends.

FOUND=
for PYTHON in "${LSM_PYTHON:-}" ${CONDA_PREFIX:+"$CONDA_PREFIX/bin/python"} python3 python3.11 python3.12 python3.13 python3.14 python; do
  if [ -n "$PYTHON" ] && "$PYTHON" -c 'import ensurepip, venv, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    export PYTHONPATH="$ROOT/scripts"
    return 0
  fi
  FOUND=${FOUND:-$("${PYTHON:-false}" -c 'import platform; print("; found only " + platform.python_version())' 2>/dev/null)}
done
echo "lsm-lab: needs Python 3.11 or newer with its venv module$FOUND. Install it (Debian: apt install python3 python3-venv) or set LSM_PYTHON." >&2
exit 1
