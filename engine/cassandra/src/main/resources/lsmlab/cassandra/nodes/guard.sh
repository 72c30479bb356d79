# SPDX-License-Identifier: Apache-2.0
# Runs a command until it ends, or until the input of this script does, because who started it has ended: then the command's process has five seconds to stop.
# Usage: sh guard.sh LOG COMMAND...; prints the process id of the command.
log=$1
shift
exec 3<&0
"$@" </dev/null >>"$log" 2>&1 3<&- &
node=$!
echo $node
exec >/dev/null 2>&1
trap '' HUP INT TERM # the end of a terminal is for who started this, too
{
  cat <&3
  kill -CONT $node # or a frozen one would not hear
  kill -TERM $node
  tenths=0
  while [ $tenths -lt 50 ] && kill -0 $node; do
    sleep 0.1
    tenths=$((tenths + 1))
  done
  kill -KILL $node
} &
watcher=$!
exec 3<&-
wait $node
kill -KILL $watcher # before another process has the node's number
