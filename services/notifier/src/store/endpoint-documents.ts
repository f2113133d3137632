import type { EndpointOperation, EndpointRecord } from "../domain/endpoint.ts";
import type { SecretSet } from "../domain/secret-set.ts";
import { schemaVersion } from "./documents.ts";

type SigningDocument = {
  current: string;
  previous: { key_id: string; until: Date } | null;
  staged: { key_id: string; overlap_seconds: number } | null;
};

export type EndpointDocument = {
  _id: string;
  schema_version: number;
  merchant_id: string;
  url: string;
  description: string;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
  revision: number;
  signing: SigningDocument;
  /** Sealed; the key id of the encryption stands in the sealed text. */
  keys: { id: string; secret: string; standard_secret: string; made_at: Date }[];
  operations: {
    id: string;
    kind: EndpointOperation["kind"];
    key_id: string | null;
    actor: EndpointOperation["actor"];
    at: Date;
  }[];
};

export function endpointDocument(endpoint: EndpointRecord): EndpointDocument {
  return {
    _id: endpoint.id,
    schema_version: schemaVersion,
    merchant_id: endpoint.merchantId,
    url: endpoint.url,
    description: endpoint.description,
    created_at: endpoint.createdAt,
    updated_at: endpoint.updatedAt,
    deleted_at: endpoint.deletedAt ?? null,
    revision: endpoint.revision,
    signing: signingDocument(endpoint.signing),
    keys: endpoint.keys.map(({ id, secret, standardSecret, madeAt }) => ({
      id,
      secret,
      standard_secret: standardSecret,
      made_at: madeAt,
    })),
    operations: endpoint.operations.map(({ id, kind, keyId = null, actor, at }) => ({
      id,
      kind,
      key_id: keyId,
      actor,
      at,
    })),
  };
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

export function toEndpoint(stored: EndpointDocument): EndpointRecord {
  return {
    id: stored._id,
    merchantId: stored.merchant_id,
    url: stored.url,
    description: stored.description,
    createdAt: stored.created_at,
    updatedAt: stored.updated_at,
    deletedAt: stored.deleted_at ?? undefined,
    revision: stored.revision,
    signing: toSigning(stored.signing),
    keys: stored.keys.map(({ id, secret, standard_secret, made_at }) => ({
      id,
      secret,
      standardSecret: standard_secret,
      madeAt: made_at,
    })),
    operations: stored.operations.map(({ id, kind, key_id, actor, at }) => ({
      id,
      kind,
      keyId: key_id ?? undefined,
      actor,
      at,
    })),
  };
}
