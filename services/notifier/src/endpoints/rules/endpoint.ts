import type { SecretSet } from "./secret-set.ts";

/** The order in which the events of one transaction reach an endpoint. */
export type DeliveryOrder = "none" | "bounded" | "strict";

/**
 * Reason for a pause. `requested`: a merchant or an operator paused the endpoint. `gone`: all
 * attempts of a delivery in its 24 hours got status 410. `unresponsive`: the endpoint acknowledged
 * nothing for five days (decisions §10).
 */
export type PauseReason = "requested" | "gone" | "unresponsive";

/** An endpoint of a merchant. */
export type Endpoint = {
  readonly id: string;
  readonly merchantId: string;
  /** The URL that gets events. If the URL is not verified yet, events wait for the verification. */
  readonly url: string;
  readonly description: string;
  /** A delivery stores this mode when it is created. */
  readonly order: DeliveryOrder;
  /** The subscription. Each entry is `*`, a transaction type, or `<transaction type>.<status>`. */
  readonly eventTypes: readonly string[];
  /** Names of the merchant's own headers, in alphabetical order. Absent if there are none. */
  readonly headerNames?: readonly string[] | undefined;
  /** Start of the current pause. Events wait until the pause ends. */
  readonly pausedAt?: Date | undefined;
  /** Set only during a pause. */
  readonly pausedFor?: PauseReason | undefined;
  readonly resumedAt?: Date | undefined;
  /** Total duration of ended pauses in milliseconds; 0 without any. */
  readonly pausedMs?: number | undefined;
  /**
   * Events are sent from this time on. The value is `undefined` until the first URL is verified.
   */
  readonly verifiedAt?: Date | undefined;
  /** A new URL that awaits verification. Until then, events go to `url`. */
  readonly pendingUrl?: string | undefined;
  readonly createdAt: Date;
  /** The API key, member or operator that created the endpoint. */
  readonly createdBy: EndpointOperation["actor"];
  readonly updatedAt: Date;
};

/** The fields that operations change. Secrets are stored separately. */
export type EndpointConfiguration = Pick<
  Endpoint,
  | "url"
  | "description"
  | "order"
  | "eventTypes"
  | "headerNames"
  | "pausedAt"
  | "pausedFor"
  | "resumedAt"
  | "pausedMs"
  | "verifiedAt"
  | "pendingUrl"
>;

export type EndpointState = "active" | "paused" | "unverified";

/**
 * Returns the state of an endpoint. If the endpoint is both paused and not verified, the state is
 * paused.
 */
export function endpointState(endpoint: Pick<Endpoint, "pausedAt" | "verifiedAt">): EndpointState {
  if (endpoint.pausedAt !== undefined) return "paused";
  return endpoint.verifiedAt === undefined ? "unverified" : "active";
}

/**
 * Returns true if an endpoint is live, so that deliveries may be attempted. Other deliveries wait.
 */
export function isLive(endpoint: Pick<Endpoint, "pausedAt" | "verifiedAt">): boolean {
  return endpointState(endpoint) === "active";
}

/** A pair of stored secrets. Each is encrypted with its own context. */
export type SealedKey = {
  readonly id: string;
  readonly secret: string;
  readonly standardSecret: string;
  readonly madeAt: Date;
};

/** An operation that changed an endpoint, and its actor. */
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
  /** The id of the key whose secrets the response contained. */
  readonly keyId?: string | undefined;
  /** The previous values of the changed fields. */
  readonly before?: Partial<EndpointConfiguration>;
  readonly actor: {
    readonly kind: "api_key" | "member" | "operator" | "service";
    readonly id: string;
  };
  readonly at: Date;
};

/** The part of an endpoint that deliveries need. It contains secrets but no history. */
export type Recipient = Endpoint & {
  readonly revision: number;
  /**
   * A number that is unique among the merchant's endpoints and below `endpointsMax`. Absent if the
   * endpoint is deleted.
   */
  readonly place?: number | undefined;
  readonly deletedAt?: Date | undefined;
  readonly signing: SecretSet;
  readonly keys: readonly SealedKey[];
  /** The merchant's own headers, encrypted. The history of changes doesn't contain them. */
  readonly sealedHeaders?: string | undefined;
};

export type SealedHeaders = Pick<Recipient, "headerNames" | "sealedHeaders">;

/** An endpoint with its secrets and history. Each revision replaces the whole record. */
export type EndpointRecord = Recipient & {
  readonly operations: readonly EndpointOperation[];
};

/**
 * Maximum endpoints of a merchant. Each event goes to all subscribed ones. A merchant needs one
 * endpoint, and a few more for tests.
 */
export const endpointsMax = 16;
