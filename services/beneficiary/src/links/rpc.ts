import { create, fromJson } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { enumValue } from "@disburse/chassis/enum-names.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow, violationMessage } from "@disburse/chassis/rpc/refusal.ts";
import {
  BeneficiaryLinkFieldsSchema,
  type BeneficiaryLink as BeneficiaryLinkMessage,
  BeneficiaryLinkSchema,
  BeneficiaryLinkState,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_links_pb.ts";
import type { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { createBeneficiaryLink, linkDays } from "@disburse/forms/bodies/beneficiary-link.ts";
import { newId } from "@disburse/kernel/id.ts";
import { invalidRequest, refused } from "@disburse/kernel/refusal.ts";
import { formMessage } from "../beneficiaries/rpc.ts";
import { checkedFields } from "../creation/creation.ts";
import type { MerchantStore } from "../merchants/merchants.ts";
import type { ProfileStore } from "../merchants/profile-store.ts";
import { mayCreate } from "../permissions/rules/permissions.ts";
import { textOf } from "../records/rules/private-fields.ts";
import { formsOf, latinViolations } from "./forms.ts";
import { pageViolations, prefilledOf, shownState } from "./rules/link.ts";
import { type Link, newToken } from "./store.ts";
import { type SubmitDeps, submitLink } from "./submit.ts";

export type LinkDeps = SubmitDeps & {
  readonly merchants: Pick<MerchantStore, "read">;
  readonly profiles: Pick<ProfileStore, "read" | "readLogo">;
  /** Maximum open links of one merchant. */
  readonly openLinksMax: number;
};

const notFound = refused("RECORD_NOT_FOUND");
const dayMs = 86_400_000;

export function linksRpc(deps: LinkDeps) {
  const { links, clock } = deps;
  const shown = (link: Link) => linkMessage(link, clock.now());
  /** Returns the name that operators registered, or the id. */
  const nameOf = async (merchantId: string): Promise<string> =>
    (await deps.merchants.read(merchantId))?.name || merchantId;
  return {
    createBeneficiaryLink: async ({ mutation, merchantId, fields: sent, unreadable }) => {
      const change = readMutation(mutation);
      orThrow(mayCreate(await deps.permissions.read(merchantId), "beneficiary"));
      const now = clock.now();
      const form = { form: createBeneficiaryLink, schema: BeneficiaryLinkFieldsSchema };
      const fields = checkedFields(form, { fields: sent, unreadable }, { now });
      // The form drops this field beside a last name, and a dropped name would not be locked.
      if (sent?.beneficiaryName.trim() && textOf(fields, "beneficiary_name") === "") {
        orThrow(twoNames);
      }
      const forms = formsOf(fields, deps.allowed);
      if (forms.length === 0) orThrow(noForm);
      const violations = [
        ...pageViolations(fields, await nameOf(merchantId)),
        ...latinViolations(fields, forms),
      ];
      if (violations.length > 0) orThrow(invalidRequest(violations));
      const { expires_in_days: days } = fields;
      const lastsMs = (typeof days === "number" ? days : linkDays.default) * dayMs;
      const expiresAt = new Date(now.getTime() + lastsMs);
      const link = { id: newId("link", now), merchantId, fields, expiresAt, createdAt: now };
      const stored = orThrow(await links.insert(link, newToken(), change, deps.openLinksMax));
      return { link: shown(stored.link), token: stored.token };
    },

    getBeneficiaryLink: async ({ merchantId, linkId }) => ({
      link: shown(orThrow((await links.read(merchantId, linkId)) ?? notFound)),
    }),

    listBeneficiaryLinks: async (request) => {
      const { links: found, ...rest } = await links.list(request.merchantId, request);
      return { links: found.map(shown), ...rest };
    },

    revokeBeneficiaryLink: async ({ mutation, merchantId, linkId }) => {
      readMutation(mutation);
      return { link: shown(orThrow((await links.revoke(merchantId, linkId)) ?? notFound)) };
    },

    openBeneficiaryLink: async ({ token }) => {
      const link = orThrow((await links.readByToken(token)) ?? notFound);
      const { fields, merchantId } = link;
      const state = shownState(link, clock.now());
      const isOpen = state === "open";
      const { texts, logo } = await deps.profiles.read(merchantId);
      return {
        state: enumValue(BeneficiaryLinkState, state),
        merchantName: await nameOf(merchantId),
        displayName: textOf(fields, "display_name"),
        color: textOf(fields, "color") || (texts.color ?? ""),
        logoSha256: logo?.sha256 ?? "",
        forms: isOpen ? formsOf(fields, deps.allowed).map(formMessage) : [],
        prefilled: isOpen ? prefilledOf(fields) : {},
      };
    },

    getLinkLogo: async ({ token }) => {
      const { merchantId } = orThrow((await links.readByToken(token)) ?? notFound);
      return orThrow((await deps.profiles.readLogo(merchantId)) ?? notFound);
    },

    submitBeneficiaryLink: async ({ token, form, values }) => {
      const link = orThrow((await links.readByToken(token)) ?? notFound);
      const submitted = await submitLink(deps, link, token, { form, values });
      if ("violations" in submitted) {
        const state = BeneficiaryLinkState.OPEN;
        return { state, violations: submitted.violations.map(violationMessage) };
      }
      const { state, accepted = false } = submitted;
      return { state: enumValue(BeneficiaryLinkState, state), accepted };
    },
  } satisfies Partial<ServiceImpl<typeof BeneficiaryService>>;
}

const twoNames = invalidRequest([
  { field: "beneficiary_name", problem: "must not be set beside beneficiary_last_name" },
]);

const noForm = invalidRequest([
  {
    field: "destination_currency",
    problem:
      "is not in any beneficiary form of this transfer type, network, account type and these name fields",
  },
]);

function linkMessage(link: Link, now: Date): BeneficiaryLinkMessage {
  const { id, merchantId, beneficiaryId, failureCode } = link;
  return create(BeneficiaryLinkSchema, {
    id,
    merchantId,
    beneficiaryId,
    failureCode,
    state: enumValue(BeneficiaryLinkState, shownState(link, now)),
    fields: fromJson(BeneficiaryLinkFieldsSchema, link.fields),
    expiresAt: timestampFromDate(link.expiresAt),
    createdAt: timestampFromDate(link.createdAt),
    updatedAt: timestampFromDate(link.updatedAt),
  });
}
