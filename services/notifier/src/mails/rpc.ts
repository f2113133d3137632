import type { ServiceImpl } from "@connectrpc/connect";
import { enumName, enumValue } from "@disburse/chassis/enum-names.ts";
import {
  MailKind,
  type NotifierService,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { orThrow } from "../refusals.ts";
import type { Mails } from "./mailer.ts";
import { mailKinds, scopeOf } from "./rules/kind.ts";

type Rpc = Pick<ServiceImpl<typeof NotifierService>, "getMailPreferences" | "setMailPreferences">;

/** Members' preferences. Without a mail server they can be read and set, but have no effect. */
export function mailRpc({ mails }: { readonly mails: Mails }): Rpc {
  const { recipients, mailer } = mails;
  const available = mailer !== undefined;
  const preferencesOf = async (memberId: string) => {
    const { off = [], paused_at = null } = (await recipients.find(memberId)) ?? {};
    const kinds = mailKinds.map((kind) => ({
      kind: enumValue(MailKind, kind),
      enabled: !off.includes(kind),
      scope: scopeOf[kind],
    }));
    return { preferences: { available, paused: paused_at !== null, kinds } };
  };
  return {
    getMailPreferences: ({ memberId }) => preferencesOf(memberId),
    setMailPreferences: async ({ merchantId, memberId, disabledKinds }) => {
      const off = disabledKinds.map(
        (kind) =>
          enumName(MailKind, kind) ??
          orThrow(refused("INVALID_REQUEST", "disabled_kinds: must be specified kinds")),
      );
      await recipients.setPreferences(memberId, merchantId, off);
      return preferencesOf(memberId);
    },
  };
}
