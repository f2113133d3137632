import { contentTypeUnaryProto } from "@connectrpc/connect/protocol-connect";
import {
  Health,
  HealthCheckResponse_ServingStatus,
  HealthCheckResponseSchema,
} from "@disburse/contracts/health/v1/health_pb.ts";
import { Client } from "undici";
import { parseMessage } from "../unary-message.ts";
import type { Connecting } from "./connecting.ts";

const { SERVING: serving } = HealthCheckResponse_ServingStatus;

/** With the silence before it a hung process is found out in about a second. */
const aliveTimeoutMs = 500;
/** A process whose database hangs says so after a second. */
const healthTimeoutMs = 1_500;

/** Asks one process how it is, over a connection of its own: the others may lead nowhere. */
export function probeOf(origin: string, base: string, connecting: Connecting) {
  const ask = async (method: "GET" | "POST", path: string, timeoutMs: number) => {
    const client = new Client(origin, { allowH2: false, connect: connecting(timeoutMs) });
    try {
      const { statusCode, body } = await client.request({
        method,
        path: `${base}${path}`,
        signal: AbortSignal.timeout(timeoutMs),
        ...(method === "POST" && { body: new Uint8Array() }),
        headers: { "content-type": contentTypeUnaryProto },
      });
      return { statusCode, bytes: await body.bytes() };
    } catch {
      // Refused, cut or silent: no answer.
      return undefined;
    } finally {
      client.destroy().catch(() => undefined);
    }
  };
  return {
    /** Whether the process answers anything at all, also where its database hangs. */
    isAlive: async () => (await ask("GET", "/", aliveTimeoutMs)) !== undefined,
    /** Whether it is to get calls. */
    isServing: async () => {
      const answer = await ask("POST", `/${Health.typeName}/Check`, healthTimeoutMs);
      if (answer === undefined) return false;
      if (answer.statusCode !== 200) return answer.statusCode < 500;
      return statusIn(answer.bytes) === serving;
    },
  };
}

/** The status of an answer; `undefined` where it is no answer of a health service. */
function statusIn(bytes: Uint8Array) {
  try {
    return parseMessage(HealthCheckResponseSchema, bytes).status;
  } catch {
    return undefined;
  }
}
