#!/usr/bin/env bash
# Updates a platform that docker-compose.yml runs, one replica after the other, while it serves:
#   docker compose build && deploy/update.sh
# Each service gets one more container of the new image; when that is ready and has been found, an old one
# drains and ends. Containers whose image and settings did not change stay, and so do MongoDB and RabbitMQ.
# Arguments are `docker compose`'s own: deploy/update.sh --env-file live.env. It stops at the first failure,
# with every old container that is left still serving; once the cause is gone, run it again.
set -euo pipefail
cd "$(dirname "$0")/.."

# The called ones first: callers of the version before work with them.
services=(compliance beneficiary quote payout notifier gateway)
# Longer than a start takes on a busy machine.
ready_within_seconds=${UPDATE_READY_WITHIN_SECONDS:-180}
# Callers resolve the names of services every 5 s, and the balancer every second.
found_after_seconds=${UPDATE_FOUND_AFTER_SECONDS:-8}
# As stop_grace_period in docker-compose.yml.
stop_within_seconds=40

options=("$@")
compose() { docker compose ${options[@]+"${options[@]}"} "$@"; }
say() { printf '%s\n' "$*" >&2; }
# What compose would run now: the image and, by a digest, the settings.
wanted() {
  local name
  name=$(compose config --images | grep -E "(^|/)(disburse-)?$2[:@]" | head -n 1)
  printf '%s %s' "$(docker image inspect --format '{{.Id}}' "$name")" \
    "$(compose config --hash "$1" | cut -d ' ' -f 2)"
}
running() {
  docker inspect --format '{{.Image}} {{index .Config.Labels "com.docker.compose.config-hash"}}' "$1"
}

# Starts what is missing up to this number of containers, and recreates none.
scale() {
  compose up --detach --no-deps --no-build --no-recreate --scale "$1=$2" "$1" >&2
}

await_ready() {
  local container=$1 second status
  for ((second = 0; second < ready_within_seconds; second++)); do
    status=$(docker inspect --format '{{.State.Health.Status}}' "$container")
    [[ $status == healthy ]] && return
    sleep 1
  done
  say "$container is $status after $ready_within_seconds s: see its log. Nothing else was replaced."
  return 1
}

update() {
  local service=$1 target old_ones old added all
  target=$(wanted "$service" "$service")
  mapfile -t old_ones < <(compose ps --quiet "$service")
  for old in ${old_ones[@]+"${old_ones[@]}"}; do
    if [[ $(running "$old") == "$target" ]]; then continue; fi
    mapfile -t all < <(compose ps --quiet "$service")
    scale "$service" $((${#all[@]} + 1))
    added=$(compose ps --quiet "$service" | grep --invert-match --line-regexp --fixed-strings \
      --file <(printf '%s\n' "${all[@]}"))
    await_ready "$added"
    sleep "$found_after_seconds"
    docker stop --time "$stop_within_seconds" "$old" >&2
    docker rm "$old" >&2
    say "$service: $added serves in place of $old"
  done
  # The number that is set, where it changed or a container is missing.
  compose up --detach --no-deps --no-build --no-recreate "$service" >&2
}

# Both versions work with what a migration leaves: docs/MIGRATIONS.md.
for service in "${services[@]}"; do compose run --rm --no-deps "$service-migration" >&2; done
for service in "${services[@]}"; do update "$service"; done

balancer=$(compose ps --quiet balancer)
if [[ $(running "$balancer") != "$(wanted balancer haproxy)" ]]; then
  say "The balancer's image or settings changed. Replacing it takes the edge away for some seconds:"
  say "  docker compose up --detach --no-deps balancer"
else
  # It reads its configuration again, and ends no connection.
  compose kill --signal USR2 balancer >&2
fi
