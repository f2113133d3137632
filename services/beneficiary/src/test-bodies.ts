import { fromJson } from "@bufbuild/protobuf";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import {
  CryptoBeneficiaryFieldsSchema,
  DepositorFieldsSchema,
  FiatBeneficiaryFieldsSchema,
  type SetMerchantPermissionsResponse,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { cryptoBeneficiary } from "@disburse/forms/bodies/crypto-beneficiary.ts";
import { depositor } from "@disburse/forms/bodies/depositor.ts";
import { fiatBeneficiary } from "@disburse/forms/bodies/fiat-beneficiary.ts";
import { exampleOf } from "@disburse/forms/describe/examples.ts";
import type { BodyValues, PublicBody } from "@disburse/forms/fields/field.ts";
import { mutation, type TestService } from "./test-service.ts";

export const merchantId = "mer_acme";

export function example(body: PublicBody, at = 0): BodyValues {
  const form = body.forms[at];
  return form === undefined ? {} : exampleOf(form);
}

export type More = {
  mutation?: ReturnType<typeof mutation> | undefined;
  merchantId?: string;
  validateOnly?: boolean;
};

/** Creates records from the forms' examples plus changes. Returns the record's id. */
export type Creator = {
  crypto(change?: BodyValues, more?: More): Promise<string>;
  fiat(change?: BodyValues, more?: More, form?: number): Promise<string>;
  depositor(form: number, change?: BodyValues, more?: More): Promise<string>;
  /** Registers a merchant and permits all creations, or none. */
  permit(
    merchant: string,
    yes: boolean,
    operationId?: string,
  ): Promise<SetMerchantPermissionsResponse>;
};

export function creatorOn({ rpc }: Pick<TestService, "rpc">): Creator {
  const intent = (more: More) => ({ mutation: mutation(), merchantId, ...more });
  return {
    crypto: async (change = {}, more = {}) => {
      const body = { ...example(cryptoBeneficiary), ...change };
      const fields = fromJson(CryptoBeneficiaryFieldsSchema, body);
      return (await rpc.createCryptoBeneficiary({ ...intent(more), fields })).beneficiaryId;
    },
    fiat: async (change = {}, more = {}, form = 0) => {
      const body = { ...example(fiatBeneficiary, form), ...change };
      const fields = fromJson(FiatBeneficiaryFieldsSchema, body);
      return (await rpc.createFiatBeneficiary({ ...intent(more), fields })).beneficiaryId;
    },
    depositor: async (form, change = {}, more = {}) => {
      const body = { ...example(depositor, form), ...change };
      const fields = fromJson(DepositorFieldsSchema, body);
      return (await rpc.createDepositor({ ...intent(more), fields })).depositorId;
    },
    permit: async (merchant, yes, operationId) => {
      const registering = { mutation: mutation(`register-${merchant}`), merchantId: merchant };
      await rpc.createMerchant({ ...registering, name: merchant });
      return rpc.setMerchantPermissions({
        mutation: mutation(operationId),
        permissions: {
          merchantId: merchant,
          mayCreateBeneficiaries: yes,
          mayCreateDepositors: yes,
        },
      });
    },
  };
}

/** Returns the call's refusal, or the error that it failed with. */
export async function refusalOf(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return readRefusal(error) ?? error;
}
