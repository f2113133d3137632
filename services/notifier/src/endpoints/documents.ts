import { fromStored, type Stored, toStored } from "@disburse/chassis/mongo/stored.ts";
import type {
  DeliveryOrder,
  EndpointConfiguration,
  EndpointOperation,
  EndpointRecord,
  PauseReason,
  Recipient,
  SealedKey,
} from "./rules/endpoint.ts";
import type { SecretSet } from "./rules/secret-set.ts";

export const schemaVersion = 1;

type ConfigurationDocument = {
  url: string;
  description: string;
  order: DeliveryOrder;
  event_types: string[];
  /** Absent or `null` without headers. */
  header_names?: string[] | null;
  paused_at: Date | null;
  paused_for: PauseReason | null;
  resumed_at: Date | null;
  paused_ms: number | null;
  /** `null` before the first verification. */
  verified_at: Date | null;
  pending_url: string | null;
};

export type EndpointDocument = ConfigurationDocument & {
  _id: string;
  schema_version: number;
  merchant_id: string;
  created_at: Date;
  created_by: EndpointOperation["actor"];
  updated_at: Date;
  deleted_at: Date | null;
  revision: number;
  place?: number;
  signing: ReturnType<typeof signingDocument>;
  /** The encrypted keys. Each encrypted text contains the id of its encryption key. */
  keys: Stored<SealedKey>[];
  /** The merchant's own headers as one encrypted JSON object. */
  headers?: string;
  operations: ReturnType<typeof operationDocument>[];
};

export function endpointDocument(endpoint: EndpointRecord): EndpointDocument {
  return {
    _id: endpoint.id,
    schema_version: schemaVersion,
    merchant_id: endpoint.merchantId,
    ...(configurationDocument({ ...unset, ...endpoint }) as ConfigurationDocument),
    created_at: endpoint.createdAt,
    created_by: endpoint.createdBy,
    updated_at: endpoint.updatedAt,
    deleted_at: endpoint.deletedAt ?? null,
    revision: endpoint.revision,
    ...(endpoint.place === undefined ? {} : { place: endpoint.place }),
    signing: signingDocument(endpoint.signing),
    keys: toStored(endpoint.keys),
    ...(endpoint.sealedHeaders === undefined ? {} : { headers: endpoint.sealedHeaders }),
    operations: endpoint.operations.map(operationDocument),
  };
}

function operationDocument({ id, kind, keyId, before, actor, at }: EndpointOperation) {
  const changed = before && { before: configurationDocument(before) };
  return { id, kind, key_id: keyId ?? null, ...changed, actor, at };
}

/** Maps an endpoint's fields to their stored names. */
const storedNames = {
  url: "url",
  description: "description",
  order: "order",
  eventTypes: "event_types",
  headerNames: "header_names",
  pausedAt: "paused_at",
  pausedFor: "paused_for",
  resumedAt: "resumed_at",
  pausedMs: "paused_ms",
  verifiedAt: "verified_at",
  pendingUrl: "pending_url",
} as const satisfies Record<keyof EndpointConfiguration, keyof ConfigurationDocument>;

/** Settings that may have no value. Then `null` is stored. */
const unset = {
  pausedAt: undefined,
  pausedFor: undefined,
  resumedAt: undefined,
  pausedMs: undefined,
  verifiedAt: undefined,
  pendingUrl: undefined,
};

const fields = Object.keys(storedNames) as (keyof EndpointConfiguration)[];

function configurationDocument(
  set: Partial<EndpointConfiguration>,
): Partial<ConfigurationDocument> {
  const changed = fields.filter((name) => name in set);
  return Object.fromEntries(changed.map((name) => [storedNames[name], set[name] ?? null]));
}

function toConfiguration(stored: Partial<ConfigurationDocument>): Partial<EndpointConfiguration> {
  const changed = fields.filter((name) => storedNames[name] in stored);
  return Object.fromEntries(changed.map((name) => [name, stored[storedNames[name]] ?? undefined]));
}

function signingDocument({ current, previous, staged }: SecretSet) {
  return {
    current,
    previous: previous ? { key_id: previous.keyId, until: previous.until } : null,
    staged: staged ? { key_id: staged.keyId, overlap_seconds: staged.overlapSeconds } : null,
  };
}

function toSigning({ current, previous, staged }: EndpointDocument["signing"]): SecretSet {
  return {
    current,
    previous: previous ? { keyId: previous.key_id, until: previous.until } : undefined,
    staged: staged ? { keyId: staged.key_id, overlapSeconds: staged.overlap_seconds } : undefined,
  };
}

/** The part of an endpoint's document that is read for deliveries. */
type RecipientDocument = Omit<EndpointDocument, "operations">;

export const withoutHistory = { operations: 0 } as const;

export function toEndpoint(stored: EndpointDocument): EndpointRecord {
  return {
    ...toRecipient(stored),
    operations: stored.operations.map(({ id, kind, key_id, before, actor, at }) => ({
      id,
      kind,
      keyId: key_id ?? undefined,
      actor,
      at,
      ...(before === undefined ? {} : { before: toConfiguration(before) }),
    })),
  };
}

export function toRecipient(stored: RecipientDocument): Recipient {
  return {
    id: stored._id,
    merchantId: stored.merchant_id,
    url: stored.url,
    description: stored.description,
    order: stored.order,
    eventTypes: stored.event_types,
    ...(stored.header_names && { headerNames: stored.header_names }),
    pausedAt: stored.paused_at ?? undefined,
    pausedFor: stored.paused_for ?? undefined,
    resumedAt: stored.resumed_at ?? undefined,
    pausedMs: stored.paused_ms ?? undefined,
    verifiedAt: stored.verified_at ?? undefined,
    pendingUrl: stored.pending_url ?? undefined,
    createdAt: stored.created_at,
    createdBy: stored.created_by,
    updatedAt: stored.updated_at,
    deletedAt: stored.deleted_at ?? undefined,
    revision: stored.revision,
    place: stored.place,
    signing: toSigning(stored.signing),
    keys: fromStored<readonly SealedKey[]>(stored.keys),
    sealedHeaders: stored.headers,
  };
}
