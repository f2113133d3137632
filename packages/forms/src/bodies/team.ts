import { type Pattern, type PublicBody, singleForm, type TextsField } from "../fields/field.ts";
import { choiceField, lengths, textField } from "../fields/make.ts";

/** Roles, ordered from the fewest to the most permissions. */
const roles = ["viewer", "maker", "approver", "admin"] as const;

const role = choiceField(
  "role",
  "Permissions of the member: `viewer` reads, `maker` creates beneficiaries, depositors, quotes and payouts, `approver` approves payouts, `admin` may do everything.",
  roles,
);

export const addMember: PublicBody = singleForm({
  name: "add_member",
  description: "A person to add to your team.",
  fields: [
    textField(
      "email",
      "The address that the person's sign-in has verified.",
      "mia@merchant.example",
      { kind: "email", maxLength: lengths.email },
    ),
    textField("name", "Name of the person.", "Mia Maker", { maxLength: lengths.alias }),
    role,
  ],
});

export const updateMember: PublicBody = singleForm({
  name: "update_member",
  description: "The member's new role.",
  fields: [role],
});

/**
 * The maximum number of scopes, which is twice the number that exist. The gateway checks each
 * scope.
 */
const scopesMax = 50;
/** The maximum number of IP ranges that one key is limited to, as in the gateway's contract. */
const cidrsMax = 100;

const scope: Pattern = {
  source: "^[a-z]{1,20}:[a-z]{1,20}$",
  problem: `must be an array of 1 to ${scopesMax} different scopes such as payout:read`,
};

const network: Pattern = {
  source: "^[0-9a-fA-F.:/]{1,64}$",
  problem: `must be an array of at most ${cidrsMax} different addresses or networks (CIDR)`,
};

const scopes: TextsField = {
  name: "scopes",
  kind: "texts",
  required: true,
  maxItems: scopesMax,
  pattern: scope,
  description: "Scopes of the key. You can grant only scopes that you have yourself.",
  example: ["payout:read", "account:read"],
};

const sourceCidrs: TextsField = {
  name: "source_cidrs",
  kind: "texts",
  required: false,
  maxItems: cidrsMax,
  pattern: network,
  description:
    "IP addresses or networks (CIDR) from which the key may be used; any address by default.",
  example: ["127.0.0.1", "203.0.113.0/24"],
};

export const createKey: PublicBody = singleForm({
  name: "create_key",
  description: "A key for one of your programs.",
  fields: [
    textField("description", "Your note.", "Payroll server", { required: false }),
    scopes,
    sourceCidrs,
    textField(
      "expires_at",
      "When the key expires. The default is 365 days from now in live mode, and never in the sandbox.",
      "2099-12-31T00:00:00.000Z",
      { kind: "time", maxLength: lengths.time, required: false },
    ),
  ],
});
