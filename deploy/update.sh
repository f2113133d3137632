#!/usr/bin/env bash
# Updates the platform of docker-compose.yml one replica at a time, without an outage:
#   docker compose build && deploy/update.sh
# For each service, starts one more container of the new image, waits until it is ready and callers have found
# it, then drains and removes an old one. Keeps containers whose image and settings did not change, and MongoDB
# and RabbitMQ. Passes its arguments to `docker compose`: deploy/update.sh --env-file live.env. Stops at the
# first failure; the remaining old containers keep serving. Fix the cause and run it again.
set -euo pipefail
# Also a command in $(…) that fails ends the script: what is not known replaces nothing.
shopt -s inherit_errexit
cd "$(dirname "$0")/.."

# Called services come first: callers of the previous version work with them.
services=(compliance beneficiary quote payout notifier gateway)
# A start takes less, even on a busy machine.
ready_within_seconds=${UPDATE_READY_WITHIN_SECONDS:-180}
# Callers resolve the names of services every 5 s, and the balancer every second.
found_after_seconds=${UPDATE_FOUND_AFTER_SECONDS:-8}
# The same as stop_grace_period in docker-compose.yml.
stop_within_seconds=40
# Docker forgets what a container logged when it is removed.
logs=${UPDATE_LOGS:-logs}
logs_days=7

options=("$@")
compose() { docker compose ${options[@]+"${options[@]}"} "$@"; }
say() { printf '%s\n' "$*" >&2; }
doing="nothing was replaced"
trap '[[ $? == 0 ]] || say "Stopped ($doing). Every container that is left still serves: see why, and run it again."' EXIT

# Two digests of the settings that compose would run a service with, the name of its image among them: as
# `docker compose up` starts it, and as this script does. Compose leaves out of the second, by --no-deps, what
# the service depends on.
settings_of() {
  local full model alone
  full=$(compose config --hash "$1")
  model=$(compose config)
  alone=$(awk '/^    depends_on:/ { skip = 1; next } skip && /^     / { next } { skip = 0; print }' <<<"$model" |
    docker compose --file - config --hash "$1")
  printf '%s %s' "${full##* }" "${alone##* }"
}

# "current" where a container has one of these settings, and the image that its image's name means by now.
state_of() {
  local found name image settings present
  found=$(docker inspect --format \
    '{{.Config.Image}} {{.Image}} {{index .Config.Labels "com.docker.compose.config-hash"}}' "$1")
  read -r name image settings <<<"$found"
  if [[ " $2 " == *" $settings "* ]]; then
    present=$(docker image inspect --format '{{.Id}}' "$name")
    if [[ $image == "$present" ]]; then printf current; fi
  fi
}

# Starts containers up to this number. Recreates none.
scale() {
  compose up --detach --no-deps --no-build --no-recreate --scale "$1=$2" "$1" >&2
}

# Removes a container that ended, once its log is kept: docs/operators/commands.md, "Logs in compose".
remove() {
  local service=$1 container=$2
  (umask 077 && mkdir -p "$logs" &&
    docker logs "$container" 2>&1 | gzip >"$logs/$service-$(date -u +%Y%m%dT%H%M%SZ)-${container:0:12}.log.gz")
  docker rm "$container" >&2
}

await_ready() {
  local container=$1 second status
  for ((second = 0; second < ready_within_seconds; second++)); do
    status=$(docker inspect --format '{{.State.Health.Status}}' "$container")
    [[ $status == healthy ]] && return
    sleep 1
  done
  say "$container is $status after $ready_within_seconds s: check its log. No further container was replaced."
  return 1
}

update() {
  local service=$1 settings old state added
  local -a old_ones all
  doing=$service
  settings=$(settings_of "$service")
  old_ones=($(compose ps --quiet "$service"))
  all=($(compose ps --all --quiet "$service"))
  # Those that ended: to scale would start them again, with the image before. Docker removes none that runs.
  for old in "${all[@]}"; do
    if [[ " ${old_ones[*]} " != *" $old "* ]]; then remove "$service" "$old"; fi
  done
  for old in "${old_ones[@]}"; do
    state=$(state_of "$old" "$settings")
    if [[ $state == current ]]; then continue; fi
    all=($(compose ps --quiet "$service"))
    scale "$service" $((${#all[@]} + 1))
    added=$(compose ps --quiet "$service" | grep --invert-match --line-regexp --fixed-strings \
      --file <(printf '%s\n' "${all[@]}"))
    await_ready "$added"
    sleep "$found_after_seconds"
    docker stop --time "$stop_within_seconds" "$old" >&2
    remove "$service" "$old"
    say "$service: $added serves in place of $old"
  done
  # Restores the configured number, if it changed or a container is missing.
  compose up --detach --no-deps --no-build --no-recreate "$service" >&2
}

# Both versions work with a migrated database: docs/operators/migrations.md.
for service in "${services[@]}"; do
  doing="the migration of $service"
  compose run --rm --no-deps "$service-migration" >&2
done
for service in "${services[@]}"; do update "$service"; done
if [[ -d $logs ]]; then find "$logs" -name '*.log.gz' -mtime "+$logs_days" -delete; fi

doing="the balancer"
balancer=$(compose ps --quiet balancer)
settings=$(settings_of balancer)
state=$(state_of "$balancer" "$settings")
if [[ $state != current ]]; then
  say "The balancer's image or settings changed. Replacing it interrupts requests for some seconds:"
  say "  docker compose ${options[*]+"${options[*]} "}up --detach --no-deps balancer"
else
  # Makes it reload its configuration without an outage. After `docker kill --signal`, Docker would not restart
  # the container any more when it ends.
  compose exec -T balancer sh -c 'kill -USR2 1' >&2
fi
