import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import type {
  CreateCryptoBeneficiaryRequest,
  CreateDepositorRequest,
  CreateFiatBeneficiaryRequest,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { Mutation } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import {
  type CheckDeps,
  type Checked,
  checkCryptoBeneficiary,
  checkDepositor,
  checkFiatBeneficiary,
} from "./checked-record.ts";
import type { Screening } from "./domain/screening.ts";
import {
  type Screenable,
  type ScreeningDeps,
  screenableBeneficiaries,
  screenableDepositors,
  screenNow,
} from "./screening.ts";
import type { BeneficiaryStore } from "./store.ts";

export type CreationDeps = CheckDeps & ScreeningDeps & { readonly store: BeneficiaryStore };

/** Stores a crypto beneficiary and screens its party; `""` where it is to be validated only. */
export function createCryptoBeneficiary(
  deps: CreationDeps,
  request: CreateCryptoBeneficiaryRequest,
): Promise<string> {
  const screenable = screenableBeneficiaries(deps.store.beneficiaries);
  const check = () => checkCryptoBeneficiary(deps, request);
  return request.validateOnly ? validate(check) : createOnce(deps, screenable, request, check);
}

/** Stores a fiat beneficiary and screens its party; `""` where it is to be validated only. */
export function createFiatBeneficiary(
  deps: CreationDeps,
  request: CreateFiatBeneficiaryRequest,
): Promise<string> {
  const screenable = screenableBeneficiaries(deps.store.beneficiaries);
  const check = () => checkFiatBeneficiary(deps, request);
  return request.validateOnly ? validate(check) : createOnce(deps, screenable, request, check);
}

/** Stores a depositor and screens its parties. */
export function createDepositor(
  deps: CreationDeps,
  request: CreateDepositorRequest,
): Promise<string> {
  const screenable = screenableDepositors(deps.store.depositors);
  return createOnce(deps, screenable, request, () => checkDepositor(deps, request));
}

/** Looks at no operation and stores none, so that the same one can still create. */
async function validate(check: () => Promise<Checked>): Promise<string> {
  await check();
  return "";
}

type Intent = { readonly mutation?: Mutation | undefined; readonly merchantId: string };

/** One record per operation, however often and however concurrently it is asked for. */
async function createOnce<T extends { id: string; merchantId: string; screening: Screening }>(
  deps: CreationDeps,
  screenable: Screenable<T>,
  { mutation, merchantId }: Intent,
  check: () => Promise<Checked>,
): Promise<string> {
  const change = readMutation(mutation);
  const first = await screenable.store.findByOperation(merchantId, change.operationId);
  const stored = first ?? (await screenable.store.insert((await check())(change)));
  await screenNow(deps, screenable, stored);
  return stored.id;
}
