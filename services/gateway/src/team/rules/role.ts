import { everyScope, type Scope } from "../../keys/rules/key.ts";

/** What a member of a merchant's team may do, from the least to the most. */
export const memberRoles = ["viewer", "maker", "approver", "admin"] as const;
/** One of them. */
export type MemberRole = (typeof memberRoles)[number];

/** What makers change: all that leads to a payout, and nothing of webhooks, keys or the team. */
const makes: ReadonlySet<string> = new Set(["beneficiary", "depositor", "quote", "payout"]);

const isRead = (scope: Scope): boolean => scope.endsWith(":read");
const isMade = (scope: Scope): boolean => {
  const [noun = "", what] = scope.split(":");
  return what === "write" && makes.has(noun);
};
const isApproved = (scope: Scope): boolean => scope.endsWith(":approve");

/**
 * The scopes of each role. Who makes a payout cannot approve it as an approver and the reverse:
 * only an admin has both, and approval itself asks for another person than the maker.
 */
const scopes: Readonly<Record<MemberRole, ReadonlySet<Scope>>> = {
  viewer: new Set(everyScope.filter(isRead)),
  maker: new Set(everyScope.filter((scope) => isRead(scope) || isMade(scope))),
  approver: new Set(everyScope.filter((scope) => isRead(scope) || isApproved(scope))),
  admin: new Set(everyScope),
};

/** What a member of this role may do. */
export function scopesOf(role: MemberRole): ReadonlySet<Scope> {
  return scopes[role];
}
