# SPDX-License-Identifier: Apache-2.0
# Sourced by scripts/lab, scripts/test and scripts/bench, with ROOT set: sets PYTHON to a Python that set-up can use, or says what is
# missing and ends.

fits() {
  "$1" -c 'import ensurepip, venv, sys; sys.exit(not (3, 11) <= sys.version_info < (3, 16))' 2>/dev/null
}

export PYTHONPATH="$ROOT/scripts"
if [ -n "${LSM_PYTHON:-}" ]; then
  PYTHON=$LSM_PYTHON
  if fits "$PYTHON"; then return 0; fi
  echo "lsm-lab: LSM_PYTHON is $LSM_PYTHON, which is no Python 3.11 to 3.15 with its venv module" >&2
  exit 1
fi
FOUND=
for PYTHON in ${CONDA_PREFIX:+"$CONDA_PREFIX/bin/python"} python3 python3.11 python3.12 python3.13 python3.14 python3.15 python; do
  if fits "$PYTHON"; then return 0; fi
  FOUND=${FOUND:-$("$PYTHON" -c 'import platform; print("; found only " + platform.python_version())' 2>/dev/null)}
done
echo "lsm-lab: needs Python 3.11 to 3.15 with its venv module$FOUND. Install it (Debian: apt install python3 python3-venv) or set LSM_PYTHON." >&2
exit 1
