import type { SecretSet } from "./secret-set.ts";

/** In which order the events of one transaction reach an endpoint. */
export type DeliveryOrder = "none" | "bounded" | "strict";

/**
 * Why an endpoint is paused: its merchant or an operator asked for it; a delivery got 410 on every
 * attempt of its 24 hours; or it acknowledged nothing for five days (decisions §10).
 */
export type PauseReason = "requested" | "gone" | "unresponsive";

/** Where a merchant's events are sent, which ones, and whether they are. */
export type Endpoint = {
  readonly id: string;
  readonly merchantId: string;
  /** The one that serves, or will once it is verified. */
  readonly url: string;
  readonly description: string;
  /** The mode that a delivery takes over from its endpoint when it is made. */
  readonly order: DeliveryOrder;
  /** Its subscription: `*`, a transaction type, or `<transaction type>.<status>`. */
  readonly eventTypes: readonly string[];
  /** Since when its events wait for a resumption. */
  readonly pausedAt?: Date | undefined;
  /** Set while it is paused. */
  readonly pausedFor?: PauseReason | undefined;
  /** When it was resumed last. */
  readonly resumedAt?: Date | undefined;
  /** All pauses that have ended, in milliseconds; 0 where there was none. */
  readonly pausedMs?: number | undefined;
  /** Since when events may go to it; `undefined` while its first URL waits to be verified. */
  readonly verifiedAt?: Date | undefined;
  /** A new URL that waits to be verified while `url` serves on. */
  readonly pendingUrl?: string | undefined;
  readonly createdAt: Date;
  /** A key or member, or an operator. */
  readonly createdBy: EndpointOperation["actor"];
  readonly updatedAt: Date;
};

/** What operations change of an endpoint, beside its secrets. */
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

/** Whether deliveries go to an endpoint. */
export type EndpointState = "active" | "paused" | "unverified";

/** An endpoint's state; paused takes precedence over unverified. */
export function endpointState(endpoint: Pick<Endpoint, "pausedAt" | "verifiedAt">): EndpointState {
  if (endpoint.pausedAt !== undefined) return "paused";
  return endpoint.verifiedAt === undefined ? "unverified" : "active";
}

/** Whether deliveries to an endpoint may be attempted; those of one that is not live wait. */
export function isLive(endpoint: Pick<Endpoint, "pausedAt" | "verifiedAt">): boolean {
  return endpointState(endpoint) === "active";
}

/** A pair of secrets as it is stored: sealed, each under its own context. */
export type SealedKey = {
  readonly id: string;
  readonly secret: string;
  readonly standardSecret: string;
  readonly madeAt: Date;
};

/** What was done to an endpoint and by whom. */
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
  /** Names the secrets that the answer showed. */
  readonly keyId?: string | undefined;
  /** What it changed, as that was before it. */
  readonly before?: Partial<EndpointSettings>;
  readonly actor: {
    readonly kind: "api_key" | "member" | "operator" | "service";
    readonly id: string;
  };
  readonly at: Date;
};

/** An endpoint as deliveries need it: with its secrets, without its history. */
export type Recipient = Endpoint & {
  readonly revision: number;
  /** Its own among its merchant's, below `endpointsMax`; none when it is deleted. */
  readonly place?: number | undefined;
  readonly deletedAt?: Date | undefined;
  readonly signing: SecretSet;
  readonly keys: readonly SealedKey[];
};

/** An endpoint with its secrets and its history, changed as a whole by one revision at a time. */
export type EndpointRecord = Recipient & {
  /** In the order of the revisions that they made. */
  readonly operations: readonly EndpointOperation[];
};

/** Each event is sent to each of them; a merchant needs one, and a few for trials. */
export const endpointsMax = 16;
