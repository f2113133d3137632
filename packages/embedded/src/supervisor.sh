#!/bin/sh
# Runs one command and outlives its starter by no more than the command's own shutdown: when
# file descriptor 3 ends, as it does however the starter dies, the command is sent SIGTERM,
# and killed if it has not done so in time. Writes the command's pid to file descriptor 4.
# Usage: supervisor.sh STOP_TENTHS_OF_A_SECOND COMMAND [ARGUMENT...]
patience=$1
shift

"$@" </dev/null 3<&- 4>&- &
command=$!
echo "$command" >&4
exec 4>&-
trap 'kill -TERM "$command" 2>/dev/null' HUP INT TERM

{
  read -r _ <&3
  kill -TERM "$command"
  while [ "$patience" -gt 0 ] && kill -0 "$command"; do
    sleep 0.1
    patience=$((patience - 1))
  done
  kill -KILL "$command"
} >/dev/null 2>&1 &
watcher=$!
exec 3<&-

# A signal interrupts `wait`: wait until the command has ended.
status=0
while kill -0 "$command" 2>/dev/null; do
  wait "$command"
  status=$?
done
kill "$watcher" 2>/dev/null
exit "$status"
