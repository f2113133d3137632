#!/bin/bash
# The image's health check. Exits with 0 if the service in this container is ready for requests. Bash opens the
# connection itself, because a Node process for each probe cost more than the service.
exec 3<>"/dev/tcp/127.0.0.1/$ADMIN_PORT" || exit 1
printf 'GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
# Docker limits the whole check to 3 s.
read -r -t 2 -u 3 _ status _ && [[ $status == 200 ]]
