import type {
  DeliveryOrder,
  EndpointOperation,
  EndpointRecord,
  EndpointSettings,
  Recipient,
} from "./rules/endpoint.ts";
import { everyEvent } from "./rules/event-filter.ts";
import type { SecretSet } from "./rules/secret-set.ts";

/** Of documents of this subject. */
export const schemaVersion = 1;

/** What operations change of an endpoint, beside its secrets. */
type SettingsDocument = {
  url: string;
  description: string;
  order: DeliveryOrder;
  event_types: string[];
  paused_at: Date | null;
  /** `null` is not live yet. */
  verified_at: Date | null;
  pending_url: string | null;
};

/** What is absent in endpoints that were made before it could be set. */
type LaterSetting = "order" | "event_types" | "paused_at" | "verified_at" | "pending_url";

type SigningDocument = {
  current: string;
  previous: { key_id: string; until: Date } | null;
  staged: { key_id: string; overlap_seconds: number } | null;
};

type OperationDocument = {
  id: string;
  kind: EndpointOperation["kind"];
  key_id: string | null;
  /** Settings that it changed, as they were before it. */
  before?: Partial<SettingsDocument>;
  actor: EndpointOperation["actor"];
  at: Date;
};

export type EndpointDocument = Omit<SettingsDocument, LaterSetting> & {
  [Name in LaterSetting]?: SettingsDocument[Name];
} & {
  _id: string;
  schema_version: number;
  merchant_id: string;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
  revision: number;
  /** Absent in deleted ones, and in those that were made before there were places. */
  place?: number;
  signing: SigningDocument;
  /** Sealed; the key id of the encryption stands in the sealed text. */
  keys: { id: string; secret: string; standard_secret: string; made_at: Date }[];
  operations: OperationDocument[];
};

export function endpointDocument(endpoint: EndpointRecord): EndpointDocument {
  return {
    _id: endpoint.id,
    schema_version: schemaVersion,
    merchant_id: endpoint.merchantId,
    ...settingsDocument(endpoint),
    created_at: endpoint.createdAt,
    updated_at: endpoint.updatedAt,
    deleted_at: endpoint.deletedAt ?? null,
    revision: endpoint.revision,
    ...(endpoint.place === undefined ? {} : { place: endpoint.place }),
    signing: signingDocument(endpoint.signing),
    keys: endpoint.keys.map(({ id, secret, standardSecret, madeAt }) => ({
      id,
      secret,
      standard_secret: standardSecret,
      made_at: madeAt,
    })),
    operations: endpoint.operations.map(operationDocument),
  };
}

function settingsDocument(settings: EndpointSettings): SettingsDocument {
  return {
    url: settings.url,
    description: settings.description,
    order: settings.order,
    event_types: [...settings.eventTypes],
    paused_at: settings.pausedAt ?? null,
    verified_at: settings.verifiedAt ?? null,
    pending_url: settings.pendingUrl ?? null,
  };
}

function operationDocument(operation: EndpointOperation): OperationDocument {
  const { id, kind, keyId = null, before, actor, at } = operation;
  const changed = before === undefined ? {} : { before: beforeDocument(before) };
  return { id, kind, key_id: keyId, ...changed, actor, at };
}

/** Each setting's name in the store. */
const settingNames = {
  url: "url",
  description: "description",
  order: "order",
  eventTypes: "event_types",
  pausedAt: "paused_at",
  verifiedAt: "verified_at",
  pendingUrl: "pending_url",
} as const satisfies Record<keyof EndpointSettings, keyof SettingsDocument>;

function beforeDocument(before: Partial<EndpointSettings>): Partial<SettingsDocument> {
  const names = Object.keys(before) as (keyof EndpointSettings)[];
  return Object.fromEntries(names.map((name) => [settingNames[name], before[name] ?? null]));
}

function toBefore(stored: Partial<SettingsDocument>): Partial<EndpointSettings> {
  const names = Object.keys(settingNames) as (keyof EndpointSettings)[];
  const changed = names.filter((name) => settingNames[name] in stored);
  return Object.fromEntries(changed.map((name) => [name, stored[settingNames[name]] ?? undefined]));
}

function signingDocument({ current, previous, staged }: SecretSet): SigningDocument {
  return {
    current,
    previous: previous === undefined ? null : { key_id: previous.keyId, until: previous.until },
    staged:
      staged === undefined
        ? null
        : { key_id: staged.keyId, overlap_seconds: staged.overlapSeconds },
  };
}

function toSigning({ current, previous, staged }: SigningDocument): SecretSet {
  return {
    current,
    previous: previous === null ? undefined : { keyId: previous.key_id, until: previous.until },
    staged:
      staged === null
        ? undefined
        : { keyId: staged.key_id, overlapSeconds: staged.overlap_seconds },
  };
}

function toVerifiedAt(stored: RecipientDocument): Date | undefined {
  return stored.verified_at === undefined ? stored.created_at : (stored.verified_at ?? undefined);
}

/** An endpoint's document as deliveries read it. */
export type RecipientDocument = Omit<EndpointDocument, "operations">;

export const withoutHistory = { operations: 0 } as const;

export function toEndpoint(stored: EndpointDocument): EndpointRecord {
  return {
    ...toRecipient(stored),
    operations: stored.operations.map(({ id, kind, key_id, before, actor, at }) => ({
      ...{ id, kind, keyId: key_id ?? undefined, actor, at },
      ...(before === undefined ? {} : { before: toBefore(before) }),
    })),
  };
}

export function toRecipient(stored: RecipientDocument): Recipient {
  return {
    id: stored._id,
    merchantId: stored.merchant_id,
    url: stored.url,
    description: stored.description,
    order: stored.order ?? "bounded",
    eventTypes: stored.event_types ?? [everyEvent],
    pausedAt: stored.paused_at ?? undefined,
    verifiedAt: toVerifiedAt(stored),
    pendingUrl: stored.pending_url ?? undefined,
    createdAt: stored.created_at,
    updatedAt: stored.updated_at,
    deletedAt: stored.deleted_at ?? undefined,
    revision: stored.revision,
    place: stored.place,
    signing: toSigning(stored.signing),
    keys: stored.keys.map(({ id, secret, standard_secret, made_at }) => ({
      id,
      secret,
      standardSecret: standard_secret,
      madeAt: made_at,
    })),
  };
}
