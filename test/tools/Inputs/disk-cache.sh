#!/usr/bin/env bash
# disk-cache.sh PROGRAM FOLDER BACKEND: eight processes at once, then processes that are killed.
set -u
program=$1 folder=$2 backend=$3
run() { tenon-run "$program" --cache="$folder" --backend="$backend" "$@"; }

for i in {1..8}; do run --quiet & done
wait
echo "8 processes: $(ls "$folder"/*.so | wc -l) entry"

# Killed at any time, while other options make other entries.
for i in {1..20}; do
  run --quiet -O$((i % 4)) 2>/dev/null &
  sleep "0.0$((i * 4))"
  kill -9 $! 2>/dev/null
  wait $! 2>/dev/null
done
for level in 0 1 2 3; do
  run --quiet -O$level || exit 1
done
echo "killed: all entries load"
run
