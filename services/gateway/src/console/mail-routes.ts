import type { Client } from "@connectrpc/connect";
import { withCallContext } from "@disburse/chassis/call-context.ts";
import { enumName, enumNames, enumValue } from "@disburse/chassis/enum-names.ts";
import {
  MailKind,
  type MailPreferences,
  type NotifierService,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import type { JsonObject } from "@disburse/kernel/exact-json.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import { dataAnswer, type PageAnswer, refusalAnswer } from "../http/answer.ts";
import { readBody } from "../http/body.ts";
import type { PublicRoute } from "../http/static.ts";
import type { MemberSessions } from "../sessions/members.ts";
import { scopesOf } from "../team/rules/role.ts";
import type { MemberDocument } from "../team/store.ts";
import type { Cookies } from "./cookies.ts";
import { sessionPath, tokenToChange } from "./session-routes.ts";

type MailRouteDeps = {
  readonly cookies: Cookies;
  readonly memberSessions: MemberSessions;
  readonly notifier: Pick<
    Client<typeof NotifierService>,
    "getMailPreferences" | "setMailPreferences"
  >;
};

/** The longest time that a page waits for the notifier. */
const callTimeoutMs = 5_000;

/** Lets a signed-in member read and choose the kinds of e-mails that the member gets. */
export function mailRoutes(deps: MailRouteDeps): readonly PublicRoute[] {
  const { cookies, memberSessions, notifier } = deps;
  const path = `${sessionPath}/notifications`;
  const signIn = refused("UNAUTHENTICATED", "Sign in.");
  const answer = async (
    token: string | undefined | Refused<"UNAUTHENTICATED" | "ACCESS_FORBIDDEN">,
    call: (
      member: MemberDocument,
    ) => Promise<{ readonly preferences?: MailPreferences | undefined }>,
  ): Promise<PageAnswer> => {
    if (isRefused(token)) return refusalAnswer(token);
    const found = token === undefined ? undefined : await memberSessions.find(token);
    if (found === undefined) return refusalAnswer(signIn);
    const { preferences } = await call(found.member);
    return dataAnswer(shown(preferences, scopesOf(found.member.role)));
  };
  const within = <T>(call: () => Promise<T>) =>
    withCallContext(
      { requestId: crypto.randomUUID(), deadlineMs: Date.now() + callTimeoutMs },
      call,
    );
  const keyOf = ({ _id: memberId, merchant_id: merchantId }: MemberDocument) => ({
    merchantId,
    memberId,
  });
  return [
    {
      path,
      answer: (ctx) =>
        answer(cookies.session(ctx), (member) =>
          within(() => notifier.getMailPreferences(keyOf(member))),
        ),
    },
    {
      method: "POST",
      path,
      answer: async (ctx) => {
        const token = tokenToChange(ctx, cookies);
        if (isRefused(token)) return refusalAnswer(token);
        const body = await readBody(ctx, false);
        if (isRefused(body)) return refusalAnswer(body);
        const off = kindsIn(body);
        if (isRefused(off)) return refusalAnswer(off);
        return answer(token, (member) => {
          const actor = { kind: Actor_Kind.MEMBER, id: member._id };
          const mutation = { operationId: crypto.randomUUID(), actor };
          const disabledKinds = off.map((kind) => enumValue(MailKind, kind));
          return within(() =>
            notifier.setMailPreferences({ ...keyOf(member), mutation, disabledKinds }),
          );
        });
      },
    },
  ];
}

const kinds = enumNames(MailKind);
type Kind = (typeof kinds)[number];

const isKind = (value: unknown): value is Kind => kinds.some((kind) => kind === value);

function kindsIn({ off }: JsonObject): readonly Kind[] | Refused<"INVALID_REQUEST"> {
  return Array.isArray(off) && off.every(isKind)
    ? off
    : refused("INVALID_REQUEST", `off: must be a list of ${kinds.join(", ")}`);
}

/** Shows the kinds that the member's role gets. */
function shown(preferences: MailPreferences | undefined, scopes: ReadonlySet<string>) {
  const { available = false, paused = false, kinds: all = [] } = preferences ?? {};
  const own = all.filter(({ scope }) => scopes.has(scope));
  return {
    available,
    paused,
    kinds: own.map(({ kind, enabled }) => ({ kind: enumName(MailKind, kind), enabled })),
  };
}
