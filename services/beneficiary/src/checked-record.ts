import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import {
  type CreateCryptoBeneficiaryRequest,
  type CreateDepositorRequest,
  type CreateFiatBeneficiaryRequest,
  CryptoBeneficiaryFieldsSchema,
  DepositorFieldsSchema,
  FiatBeneficiaryFieldsSchema,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { cryptoBeneficiary } from "@disburse/forms/crypto-beneficiary.ts";
import { depositor } from "@disburse/forms/depositor.ts";
import { fiatBeneficiary } from "@disburse/forms/fiat-beneficiary.ts";
import type { CheckContext } from "@disburse/forms/field.ts";
import { newId } from "@disburse/kernel/id.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { beneficiaryWallet, checkedBody, depositorWallet } from "./checked-body.ts";
import { type ComplianceClient, screenWallet } from "./compliance.ts";
import {
  beneficiaryDocument,
  type Change,
  type RecordDocument,
  recordDocument,
} from "./documents.ts";
import { newCryptoBeneficiary, newFiatBeneficiary } from "./domain/beneficiary.ts";
import { newDepositor } from "./domain/depositor.ts";
import { mayCreate } from "./domain/merchant-settings.ts";
import { pendingScreening } from "./domain/screening.ts";
import { accepted } from "./refusals.ts";
import type { SettingsStore } from "./settings-store.ts";

export type CheckDeps = {
  readonly store: { readonly settings: Pick<SettingsStore, "read"> };
  readonly compliance: Pick<ComplianceClient, "screenWallet">;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly sweepEveryMs: number;
  /** Values that this deployment takes, per field. */
  readonly allowed: NonNullable<CheckContext["allowed"]>;
};

/** A record that passed every check, as the document of the change that stores it. */
export type Checked = (change: Change) => RecordDocument;

/** Settings, permission, fields, wallet form, wallet risk, in this order. */
export async function checkCryptoBeneficiary(
  deps: CheckDeps,
  request: CreateCryptoBeneficiaryRequest,
): Promise<Checked> {
  const { merchantId } = request;
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
  return (change) => beneficiaryDocument(made, change, clear.screeningId, deps.sealer);
}

/** Settings, permission, fields, in this order. */
export async function checkFiatBeneficiary(
  deps: CheckDeps,
  request: CreateFiatBeneficiaryRequest,
): Promise<Checked> {
  const { merchantId } = request;
  accepted(mayCreate(await deps.store.settings.read(merchantId), "beneficiary"));
  const { now, pending, check } = moment(deps);
  const body = accepted(checkedBody(fiatBeneficiary, FiatBeneficiaryFieldsSchema, request, check));
  const origin = { id: newId("beneficiary", now), merchantId, now, screening: pending };
  const made = newFiatBeneficiary(origin, body);
  return (change) => beneficiaryDocument(made, change, "", deps.sealer);
}

/** As a crypto beneficiary's; a person may have no wallet. */
export async function checkDepositor(
  deps: CheckDeps,
  request: CreateDepositorRequest,
): Promise<Checked> {
  const { merchantId } = request;
  accepted(mayCreate(await deps.store.settings.read(merchantId), "depositor"));
  const { now, pending, check } = moment(deps);
  const body = accepted(checkedBody(depositor, DepositorFieldsSchema, request, check));
  const wallet = accepted(depositorWallet(body));
  const id = newId("depositor", now);
  const owner = { merchantId, recordId: id };
  const clear = wallet && accepted(await screenWallet(deps.compliance, wallet, owner));
  const made = newDepositor({ id, merchantId, screening: pending, now }, body, wallet?.address);
  const walletScreeningId = clear?.screeningId ?? "";
  return (change) => recordDocument(made, change, walletScreeningId, deps.sealer);
}

/** One reading of the clock for all of a creation. */
function moment({ clock, sweepEveryMs }: CheckDeps) {
  const now = clock.now();
  return { now, pending: pendingScreening(now, sweepEveryMs), check: { now } };
}
