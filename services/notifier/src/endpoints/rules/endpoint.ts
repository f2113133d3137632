import type { SecretSet } from "./secret-set.ts";

/** The order in which the events of one transaction reach an endpoint. */
export type DeliveryOrder = "none" | "bounded" | "strict";

/**
 * `requested`: by the merchant or an operator. `gone`: a delivery got 410 on every attempt of its
 * 24 hours. `unresponsive`: the endpoint acknowledged nothing for five days (decisions §10).
 */
export type PauseReason = "requested" | "gone" | "unresponsive";

/** An endpoint of a merchant with its subscription and state. */
export type Endpoint = {
  readonly id: string;
  readonly merchantId: string;
  /** The URL that gets events now, or after its verification. */
  readonly url: string;
  readonly description: string;
  /** A delivery copies this mode at its creation. */
  readonly order: DeliveryOrder;
  /** Its subscription: `*`, a transaction type, or `<transaction type>.<status>`. */
  readonly eventTypes: readonly string[];
  /** Start of the current pause, during which events wait. */
  readonly pausedAt?: Date | undefined;
  /** Set while the endpoint is paused. */
  readonly pausedFor?: PauseReason | undefined;
  readonly resumedAt?: Date | undefined;
  /** Total time of ended pauses in milliseconds; 0 without any. */
  readonly pausedMs?: number | undefined;
  /** Start of sending events; `undefined` until the first URL is verified. */
  readonly verifiedAt?: Date | undefined;
  /** A new URL awaiting verification while `url` stays in use. */
  readonly pendingUrl?: string | undefined;
  readonly createdAt: Date;
  /** An API key, a member or an operator. */
  readonly createdBy: EndpointOperation["actor"];
  readonly updatedAt: Date;
};

/** The settings that operations change; secrets are separate. */
export type EndpointSettings = Pick<
  Endpoint,
  | "url"
  | "description"
  | "order"
  | "eventTypes"
  | "pausedAt"
  | "pausedFor"
  | "resumedAt"
  | "pausedMs"
  | "verifiedAt"
  | "pendingUrl"
>;

export type EndpointState = "active" | "paused" | "unverified";

/** Paused takes precedence over unverified. */
export function endpointState(endpoint: Pick<Endpoint, "pausedAt" | "verifiedAt">): EndpointState {
  if (endpoint.pausedAt !== undefined) return "paused";
  return endpoint.verifiedAt === undefined ? "unverified" : "active";
}

/** Returns true if deliveries may be attempted. Deliveries to an endpoint that is not live wait. */
export function isLive(endpoint: Pick<Endpoint, "pausedAt" | "verifiedAt">): boolean {
  return endpointState(endpoint) === "active";
}

/** A stored pair of secrets, each sealed under its own context. */
export type SealedKey = {
  readonly id: string;
  readonly secret: string;
  readonly standardSecret: string;
  readonly madeAt: Date;
};

/** A change of an endpoint, with its actor. */
export type EndpointOperation = {
  readonly id: string;
  readonly kind:
    | "create"
    | "update"
    | "pause"
    | "resume"
    | "verify"
    | "approve"
    | "rotate"
    | "activate"
    | "delete";
  /** Names the secrets that the response contained. */
  readonly keyId?: string | undefined;
  /** The previous values of the changed settings. */
  readonly before?: Partial<EndpointSettings>;
  readonly actor: {
    readonly kind: "api_key" | "member" | "operator" | "service";
    readonly id: string;
  };
  readonly at: Date;
};

/** The part of an endpoint that deliveries need: with secrets, without history. */
export type Recipient = Endpoint & {
  readonly revision: number;
  /** Unique among the merchant's endpoints, below `endpointsMax`; absent when deleted. */
  readonly place?: number | undefined;
  readonly deletedAt?: Date | undefined;
  readonly signing: SecretSet;
  readonly keys: readonly SealedKey[];
};

/** An endpoint with secrets and history. Each revision replaces all of it. */
export type EndpointRecord = Recipient & {
  readonly operations: readonly EndpointOperation[];
};

/** Each event goes to every endpoint. A merchant needs one, plus a few for tests. */
export const endpointsMax = 16;
