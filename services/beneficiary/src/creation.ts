import { readMutation } from "@disburse/chassis/mutation.ts";
import type { Sealer } from "@disburse/chassis/sealing.ts";
import {
  type CreateCryptoBeneficiaryRequest,
  type CreateDepositorRequest,
  type CreateFiatBeneficiaryRequest,
  CryptoBeneficiaryFieldsSchema,
  DepositorFieldsSchema,
  FiatBeneficiaryFieldsSchema,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { Mutation } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { cryptoBeneficiary } from "@disburse/forms/crypto-beneficiary.ts";
import { depositor } from "@disburse/forms/depositor.ts";
import { fiatBeneficiary } from "@disburse/forms/fiat-beneficiary.ts";
import type { CheckContext } from "@disburse/forms/field.ts";
import { newId } from "@disburse/kernel/id.ts";
import { beneficiaryWallet, checkedBody, depositorWallet } from "./checked-body.ts";
import { screenWallet } from "./compliance.ts";
import {
  beneficiaryDocument,
  type Change,
  type RecordDocument,
  recordDocument,
} from "./documents.ts";
import { newCryptoBeneficiary, newFiatBeneficiary } from "./domain/beneficiary.ts";
import { newDepositor } from "./domain/depositor.ts";
import { mayCreate } from "./domain/merchant-settings.ts";
import { pendingScreening, type Screening } from "./domain/screening.ts";
import { accepted } from "./refusals.ts";
import {
  type Screenable,
  type ScreeningDeps,
  screenableBeneficiaries,
  screenableDepositors,
  screenNow,
} from "./screening.ts";
import type { BeneficiaryStore } from "./store.ts";

export type CreationDeps = ScreeningDeps & {
  readonly store: BeneficiaryStore;
  readonly sealer: Sealer;
  readonly sweepEveryMs: number;
  /** Values that this deployment takes, per field. */
  readonly allowed: NonNullable<CheckContext["allowed"]>;
};

/** Settings, permission, fields, wallet form, wallet risk, in this order; then store and screen. */
export function createCryptoBeneficiary(
  deps: CreationDeps,
  request: CreateCryptoBeneficiaryRequest,
): Promise<string> {
  const { merchantId } = request;
  const screenable = screenableBeneficiaries(deps.store.beneficiaries);
  return createOnce(deps, screenable, request, async (change) => {
    accepted(mayCreate(await deps.store.settings.read(merchantId), "beneficiary"));
    const { now, pending } = moment(deps);
    const check = { now, allowed: deps.allowed };
    const body = accepted(
      checkedBody(cryptoBeneficiary, CryptoBeneficiaryFieldsSchema, request, check),
    );
    const wallet = accepted(beneficiaryWallet(body));
    const id = newId("beneficiary", now);
    const owner = { merchantId, recordId: id };
    const clear = accepted(await screenWallet(deps.compliance, wallet, owner));
    const origin = { id, merchantId, now, screening: pending };
    const made = newCryptoBeneficiary(origin, body, wallet.address);
    return beneficiaryDocument(made, change, clear.screeningId, deps.sealer);
  });
}

/** Settings, permission, fields, in this order; then store and screen. */
export function createFiatBeneficiary(
  deps: CreationDeps,
  request: CreateFiatBeneficiaryRequest,
): Promise<string> {
  const { merchantId } = request;
  const screenable = screenableBeneficiaries(deps.store.beneficiaries);
  return createOnce(deps, screenable, request, async (change) => {
    accepted(mayCreate(await deps.store.settings.read(merchantId), "beneficiary"));
    const { now, pending, check } = moment(deps);
    const body = accepted(
      checkedBody(fiatBeneficiary, FiatBeneficiaryFieldsSchema, request, check),
    );
    const origin = { id: newId("beneficiary", now), merchantId, now, screening: pending };
    return beneficiaryDocument(newFiatBeneficiary(origin, body), change, "", deps.sealer);
  });
}

/** As a crypto beneficiary's; a person may have no wallet. */
export function createDepositor(
  deps: CreationDeps,
  request: CreateDepositorRequest,
): Promise<string> {
  const { merchantId } = request;
  return createOnce(deps, screenableDepositors(deps.store.depositors), request, async (change) => {
    accepted(mayCreate(await deps.store.settings.read(merchantId), "depositor"));
    const { now, pending, check } = moment(deps);
    const body = accepted(checkedBody(depositor, DepositorFieldsSchema, request, check));
    const wallet = accepted(depositorWallet(body));
    const id = newId("depositor", now);
    const owner = { merchantId, recordId: id };
    const clear = wallet && {
      address: wallet.address,
      screening: accepted(await screenWallet(deps.compliance, wallet, owner)),
    };
    const made = newDepositor({ id, merchantId, pending, now }, body, clear);
    return recordDocument(made, change, clear?.screening.screeningId ?? "", deps.sealer);
  });
}

type Intent = { readonly mutation?: Mutation | undefined; readonly merchantId: string };

/** One record per operation, however often and however concurrently it is asked for. */
async function createOnce<T extends { id: string; merchantId: string; screening: Screening }>(
  deps: CreationDeps,
  screenable: Screenable<T>,
  { mutation, merchantId }: Intent,
  make: (change: Change) => Promise<RecordDocument>,
): Promise<string> {
  const change = readMutation(mutation);
  const first = await screenable.store.findByOperation(merchantId, change.operationId);
  const stored = first ?? (await screenable.store.insert(await make(change)));
  await screenNow(deps, screenable, stored);
  return stored.id;
}

/** One reading of the clock for all of a creation. */
function moment({ clock, sweepEveryMs }: CreationDeps) {
  const now = clock.now();
  return { now, pending: pendingScreening(now, sweepEveryMs), check: { now } };
}
