import { resealTexts, type SealedPlace } from "@disburse/chassis/crypto/resealing.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { isRefused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Collection, Db } from "mongodb";
import { dataAnswer, type PageAnswer, refusalAnswer } from "../http/answer.ts";
import { readBody } from "../http/body.ts";
import type { RouterContext } from "../http/observe.ts";
import type { PublicRoute } from "../http/static.ts";
import type { Cookies } from "./cookies.ts";
import type { Portal } from "./portal.ts";
import { sessionPath, tokenToChange } from "./session-routes.ts";

const collectionName = "list_settings";

/** The person's settings of one of the console's lists. */
type SettingsDocument = {
  /** Format: `<kind> <person id> <list>`. */
  _id: string;
  schema_version: 1;
  /** Format: `<kind> <person id>`. A member is a person in one team. */
  person: string;
  list: string;
  /** Sealed JSON. Saved filters may name persons. */
  sealed: string;
  updated_at: Date;
};

/** The console has fewer lists. */
const listsMax = 50;
/** Fifty saved views are smaller. */
const bytesMax = 16 * 1024;
const listName = /^[a-z][a-z-]{0,39}$/;

export type ListSettings = ReturnType<typeof openListSettings>;

const sealContext = (id: string) => `list settings|${id}`;

export function openListSettings(db: Db, { sealer, clock }: { sealer: Sealer; clock: Clock }) {
  const settings: Collection<SettingsDocument> = db.collection(collectionName);
  return {
    read: async (person: string): Promise<Record<string, unknown>> => {
      const found = await settings.find({ person }).toArray();
      return Object.fromEntries(
        found.map(({ _id, list, sealed }) => [
          list,
          JSON.parse(sealer.open(sealed, sealContext(_id))),
        ]),
      );
    },
    /** Replaces the settings of a list. Returns false if the person has settings of too many lists. */
    write: async (person: string, list: string, value: object): Promise<boolean> => {
      const _id = `${person} ${list}`;
      const others = await settings.countDocuments({ person, _id: { $ne: _id } });
      if (others >= listsMax) return false;
      const sealed = sealer.seal(JSON.stringify(value), sealContext(_id));
      const fields = { schema_version: 1, person, list, sealed, updated_at: clock.now() } as const;
      await settings.updateOne({ _id }, { $set: fields }, { upsert: true });
      return true;
    },
    endOfMember: async (memberId: string): Promise<void> => {
      await settings.deleteMany({ person: `member ${memberId}` });
    },
  };
}

/** The place of the sealed settings. */
export const sealedListSettings: SealedPlace = {
  collection: collectionName,
  reseal: (document, sealer) => {
    const { _id, sealed: text } = document as unknown as SettingsDocument;
    return resealTexts([{ path: "sealed", text, context: sealContext(_id) }], sealer);
  },
};

/** Builds a portal's routes for a person's own settings of the console's lists. */
export function listSettingsRoutes({
  portal,
  cookies,
  settings,
}: {
  readonly portal: Portal;
  readonly cookies: Pick<Cookies, "session">;
  readonly settings: ListSettings;
}): readonly PublicRoute[] {
  const personOf = async (token: string | undefined) => {
    const found = token === undefined ? undefined : await portal.describe(token);
    return found === undefined
      ? refused("UNAUTHENTICATED", "Sign in.")
      : `${portal.kind} ${found.person.id}`;
  };
  const read = async (ctx: RouterContext): Promise<PageAnswer> => {
    const person = await personOf(cookies.session(ctx));
    return isRefused(person) ? refusalAnswer(person) : dataAnswer(await settings.read(person));
  };
  const write = async (ctx: RouterContext): Promise<PageAnswer> => {
    const token = tokenToChange(ctx, cookies);
    const person = isRefused(token) ? token : await personOf(token);
    if (isRefused(person)) return refusalAnswer(person);
    const { list = "" } = ctx.params as { readonly list?: string };
    if (!listName.test(list)) return refusalAnswer(refused("RECORD_NOT_FOUND"));
    const body = await readBody(ctx, false);
    if (isRefused(body)) return refusalAnswer(body);
    if (JSON.stringify(body).length > bytesMax) return refusalAnswer(refused("PAYLOAD_TOO_LARGE"));
    if (await settings.write(person, list, body)) return dataAnswer({});
    return refusalAnswer(refused("INVALID_REQUEST", `There can be at most ${listsMax} lists.`));
  };
  const path = `${sessionPath}/lists`;
  return [
    { path, answer: read },
    { method: "POST", path: `${path}/:list`, answer: write },
  ];
}
