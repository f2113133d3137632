import type { DescMessage, Message, MessageShape } from "@bufbuild/protobuf";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { type RequestedChange, readChange } from "@disburse/chassis/mutations/content.ts";
import { readCreator } from "@disburse/chassis/rpc/creator.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import type { Mutation } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import type { Violation } from "@disburse/contracts/disburse/type/v1/refusal_pb.ts";
import { checkedJson } from "@disburse/forms/checks/message.ts";
import type { CheckContext, PublicBody } from "@disburse/forms/fields/field.ts";
import { newId } from "@disburse/kernel/id.ts";
import type { Refused } from "@disburse/kernel/refusal.ts";
import type { PermissionsStore } from "../permissions/permissions.ts";
import { mayCreate } from "../permissions/rules/permissions.ts";
import type { RecordDocument, Storing } from "../records/document.ts";
import type { Fields } from "../records/rules/private-fields.ts";
import type { Origin, StoredRecord } from "../records/rules/record.ts";
import { type PartyWallet, pendingScreening } from "../records/rules/screening.ts";
import type { Opened, RecordStore } from "../records/store.ts";
import { type ScreeningDeps, screenNow, screenWallet } from "../screening/compliance.ts";

export type CreationDeps = ScreeningDeps & {
  readonly permissions: Pick<PermissionsStore, "read">;
  readonly sealer: Sealer;
  readonly sweepEveryMs: number;
  /** Values that this deployment accepts, by field. */
  readonly allowed: NonNullable<CheckContext["allowed"]>;
};

/** The parts that differ between kinds of records: form, wallet and document. */
export type Creation<Desc extends DescMessage> = {
  readonly noun: "beneficiary" | "depositor";
  readonly form: PublicBody;
  readonly schema: Desc;
  /** The request message that contains such a body. */
  readonly request: DescMessage;
  /** Returns the body's wallet, or `undefined` if it has none. */
  readonly wallet: (body: Fields) => PartyWallet | undefined | Refused<"INVALID_WALLET_ADDRESS">;
  readonly document: (
    origin: Origin,
    body: Fields,
    wallet: PartyWallet | undefined,
    storing: Storing,
  ) => RecordDocument;
};

type CheckRequest<Desc extends DescMessage> = {
  readonly merchantId: string;
  readonly fields?: MessageShape<Desc> | undefined;
  readonly unreadable: Violation[];
};

type CreateRequest<Desc extends DescMessage> = Message &
  CheckRequest<Desc> & {
    readonly mutation?: Mutation | undefined;
    /**
     * Only validates. The operation is neither read nor stored, so it can still create a record
     * later.
     */
    readonly validateOnly?: boolean;
  };

/** Stores one record per operation and screens it. Returns `undefined` after a validation. */
export async function createRecord<Desc extends DescMessage, T extends StoredRecord>(
  deps: CreationDeps,
  store: RecordStore<T>,
  creation: Creation<Desc>,
  request: CreateRequest<Desc>,
): Promise<Opened<T> | undefined> {
  if (request.validateOnly) {
    await checkRecord(deps, creation, request);
    return undefined;
  }
  const change = readChange(creation.request, request);
  const actor = readCreator(request.mutation);
  return createOnce(deps, store, creation, request, { ...change, actor });
}

/** Like `createRecord`, with the mutation already parsed. */
export async function createOnce<Desc extends DescMessage, T extends StoredRecord>(
  deps: CreationDeps,
  store: RecordStore<T>,
  creation: Creation<Desc>,
  request: CheckRequest<Desc>,
  change: RequestedChange,
): Promise<Opened<T>> {
  const stored = await insertChecked(deps, store, creation, request, change);
  await screenNow(deps, store, stored);
  return stored;
}

async function insertChecked<Desc extends DescMessage, T extends StoredRecord>(
  deps: CreationDeps,
  store: RecordStore<T>,
  creation: Creation<Desc>,
  request: CheckRequest<Desc>,
  change: RequestedChange,
): Promise<Opened<T>> {
  try {
    const toDocument = await checkRecord(deps, creation, request);
    return orThrow(await store.insert(toDocument(change), change));
  } catch (error) {
    // The request is refused now, but the operation may have created a record earlier. A repeat
    // returns that record.
    const first = await store.findByOperation(request.merchantId, change);
    if (first === undefined) throw error;
    return orThrow(first);
  }
}

/** Checks, in this order: the merchant's permissions, fields, wallet form, wallet risk. */
export async function checkRecord<Desc extends DescMessage>(
  deps: CreationDeps,
  creation: Creation<Desc>,
  request: CheckRequest<Desc>,
): Promise<(change: Storing["change"]) => RecordDocument> {
  const { merchantId } = request;
  orThrow(mayCreate(await deps.permissions.read(merchantId), creation.noun));
  const now = deps.clock.now();
  const body = checkedFields(creation, request, { now, allowed: deps.allowed });
  const wallet = orThrow(creation.wallet(body));
  const id = newId(creation.noun, now);
  const owner = { merchantId, recordId: id };
  const clear = wallet && orThrow(await screenWallet(deps.compliance, wallet, owner));
  const origin = { id, merchantId, now, screening: pendingScreening(now, deps.sweepEveryMs) };
  const walletScreeningId = clear?.screeningId ?? "";
  const { sealer } = deps;
  return (change) => creation.document(origin, body, wallet, { change, walletScreeningId, sealer });
}

/** Checks a request's body by its form. Returns it under the field names of the API. */
export function checkedFields<Desc extends DescMessage>(
  { form, schema }: Pick<Creation<Desc>, "form" | "schema">,
  { fields, unreadable }: Pick<CheckRequest<Desc>, "fields" | "unreadable">,
  context: CheckContext,
): Fields {
  return orThrow(checkedJson(form, schema, fields, { ...context, unreadable })) as Fields;
}
