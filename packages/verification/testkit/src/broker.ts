import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import type {} from "./global-setup.ts";

/** Returns the URL of the broker that all tests share. Fails the test if there is none. */
export function amqpUrl(): string {
  const url = inject("amqpUrl");
  if (url === "") {
    throw new Error(
      "This test needs RabbitMQ. Install rabbitmq-server (the tests then start a node of " +
        "their own), or set AMQP_URL to the URL of your broker.",
    );
  }
  return url;
}

/** Returns a globally unique prefix for exchange and queue names. */
export function freshPrefix(label: string): string {
  return `test.${label}.${randomBytes(6).toString("hex")}`;
}
