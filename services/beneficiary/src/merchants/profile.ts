import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import type { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import {
  type UpdateMerchantProfileRequest,
  UpdateMerchantProfileRequestSchema,
} from "@disburse/contracts/disburse/beneficiary/v1/merchant_profile_pb.ts";
import { updateMerchantProfile } from "@disburse/forms/bodies/merchant-profile.ts";
import { checkedMessage } from "@disburse/forms/checks/message.ts";
import { wholeBody } from "@disburse/forms/checks/read.ts";
import { invalidRequest, refused } from "@disburse/kernel/refusal.ts";
import type { MerchantDeps } from "./merchants.ts";
import type { Profile, ProfileStore, ProfileTexts } from "./profile-store.ts";
import type { Merchant } from "./rules/merchant.ts";
import { readPng } from "./rules/png.ts";

export type ProfileDeps = MerchantDeps & { readonly profiles: ProfileStore };

/** The merchant's own fields: their public names, and those in the contract. */
const ownFields = [
  ["legal_name", "legalName"],
  ["address", "address"],
  ["city", "city"],
  ["state", "state"],
  ["postcode", "postcode"],
  ["country_code", "countryCode"],
  ["registration_number", "registrationNumber"],
  ["contact_email", "contactEmail"],
  ["website", "website"],
  ["color", "color"],
] as const;

const notFound = refused("RECORD_NOT_FOUND");

export function profileRpc({ merchants, profiles, clock }: ProfileDeps) {
  const existing = async (id: string) => orThrow((await merchants.read(id)) ?? notFound);
  return {
    getMerchantProfile: async ({ merchantId }) => {
      const merchant = await existing(merchantId);
      return { profile: profileMessage(merchant, await profiles.read(merchantId)) };
    },

    updateMerchantProfile: async (request) => {
      const by = readMutation(request.mutation);
      const now = clock.now();
      const texts = readTexts(request, now);
      const merchant = await existing(request.merchantId);
      const changed = await profiles.setTexts(merchant.id, texts, by, now);
      return { profile: profileMessage(merchant, changed) };
    },

    setMerchantLogo: async ({ mutation, merchantId, png: base64 }) => {
      const by = readMutation(mutation);
      const png = base64 === "" ? undefined : readPng(base64);
      if (typeof png === "string") {
        return orThrow(invalidRequest([{ field: "png", problem: png }]));
      }
      const merchant = await existing(merchantId);
      const changed = await profiles.setLogo(merchantId, png, by, clock.now());
      return { profile: profileMessage(merchant, changed) };
    },

    getMerchantLogo: async ({ merchantId }) => {
      const { png } = orThrow((await profiles.readLogo(merchantId)) ?? notFound);
      return { png };
    },
  } satisfies Partial<ServiceImpl<typeof BeneficiaryService>>;
}

/** Returns the sent texts. An empty one removes a field. */
function readTexts(request: UpdateMerchantProfileRequest, now: Date): ProfileTexts {
  const context = { now, unreadable: request.unreadable };
  const schema = UpdateMerchantProfileRequestSchema;
  const sent = orThrow(checkedMessage(updateMerchantProfile, schema, request, context));
  const texts = ownFields.flatMap(([name, field]): [string, string][] =>
    // The check leaves out empty texts, which remove a field here.
    request[field] === undefined ? [] : [[name, sent[field] ?? ""]],
  );
  if (texts.length > 0) return Object.fromEntries(texts);
  const problem = `must have at least one of ${ownFields.map(([name]) => name).join(", ")}`;
  return orThrow(invalidRequest([{ field: wholeBody, problem }]));
}

function profileMessage({ id: merchantId, name }: Merchant, { texts, logo, updatedAt }: Profile) {
  const own = ownFields.map(([name, field]) => [field, texts[name] ?? ""]);
  return {
    ...(Object.fromEntries(own) as Record<(typeof ownFields)[number][1], string>),
    merchantId,
    name,
    ...(logo && { logo }),
    ...(updatedAt && { updatedAt: timestampFromDate(updatedAt) }),
  };
}
