import { updateAccount } from "./bodies/account.ts";
import { createBeneficiaryLink } from "./bodies/beneficiary-link.ts";
import { cryptoBeneficiary } from "./bodies/crypto-beneficiary.ts";
import { depositor } from "./bodies/depositor.ts";
import { fiatBeneficiary } from "./bodies/fiat-beneficiary.ts";
import {
  approveBatch,
  createBatch,
  executePayout,
  reissuePayout,
  requestForQuote,
  schedulePayout,
} from "./bodies/transfer.ts";
import { updateBeneficiary } from "./bodies/update-beneficiary.ts";
import { createEndpoint, createReplay, rotateSecret, updateEndpoint } from "./bodies/webhooks.ts";
import type { PublicBody } from "./fields/field.ts";

/** All public bodies, for tests that cover every one. */
export const publicBodies: readonly PublicBody[] = [
  cryptoBeneficiary,
  fiatBeneficiary,
  createBeneficiaryLink,
  updateBeneficiary,
  depositor,
  requestForQuote,
  executePayout,
  reissuePayout,
  schedulePayout,
  createBatch,
  approveBatch,
  createEndpoint,
  updateEndpoint,
  rotateSecret,
  createReplay,
  updateAccount,
];
