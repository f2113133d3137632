import { Code, ConnectError } from "@connectrpc/connect";
import type { Log } from "../../log.ts";
import { durationBuckets, type Metrics } from "../../metrics.ts";
import type { NoAnswerReason } from "./repeats.ts";

/** Records events of the clients of one service in metrics and log. */
export type ObserveClient = {
  readonly called: (rpc: string, error: unknown, seconds: number) => void;
  readonly repeated: (reason: NoAnswerReason) => void;
  /** Reports how the numbers of known and ejected endpoints changed since the last call. */
  readonly counted: (known: number, ejected: number) => void;
  readonly ejected: (key: string, reason: EjectionReason) => void;
  readonly readmitted: (key: string) => void;
};

/** The reason why an endpoint gets no calls. */
export type EjectionReason = NoAnswerReason | "not serving";

/** Returns the observer for clients of the service with this name. There are only a few names. */
export type ObserveClients = (peer: string) => ObserveClient;

/** Creates the client-side RPC metrics of a process. All of its clients share them. */
export function observeClients(metrics: Metrics, log: Log): ObserveClients {
  const duration = metrics.histogram(
    "disburse_rpc_client_duration_seconds",
    "Duration of a call as its caller measures it, by RPC, called service and result code.",
    ["rpc", "peer", "code"],
    durationBuckets,
  );
  const retries = metrics.counter(
    "disburse_rpc_client_retries_total",
    "Calls that the client retried, by called service and reason.",
    ["peer", "reason"],
  );
  const known = metrics.gauge(
    "disburse_rpc_client_endpoints",
    "Endpoints of a called service that this process knows.",
    ["peer"],
  );
  const ejected = metrics.gauge(
    "disburse_rpc_client_endpoints_ejected",
    "Known endpoints of a called service that get no calls, because they fail or hang.",
    ["peer"],
  );
  return (peer) => ({
    called: (rpc, error, seconds) => {
      const code = error === undefined ? "ok" : Code[ConnectError.from(error).code].toLowerCase();
      duration.observe({ rpc, peer, code }, seconds);
    },
    repeated: (reason) => retries.inc({ peer, reason }),
    counted: (knownMore, ejectedMore) => {
      known.inc({ peer }, knownMore);
      ejected.inc({ peer }, ejectedMore);
    },
    ejected: (endpoint, reason) =>
      log.warn({ peer, endpoint, reason }, "an endpoint was removed from load balancing"),
    readmitted: (endpoint) =>
      log.info({ peer, endpoint }, "an endpoint was returned to load balancing"),
  });
}

/** An observer that does nothing, for clients outside of a service, such as tests and jobs. */
export const unobserved: ObserveClient = {
  called: () => undefined,
  repeated: () => undefined,
  counted: () => undefined,
  ejected: () => undefined,
  readmitted: () => undefined,
};
