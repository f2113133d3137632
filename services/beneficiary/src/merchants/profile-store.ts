import { createHash } from "node:crypto";
import { resealTexts, type SealedPlace } from "@disburse/chassis/crypto/resealing.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import type { Change, StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { Binary, type Db, type UpdateFilter } from "mongodb";
import type { Png } from "./rules/png.ts";

const collection = "merchant_profiles";

/** A merchant's own texts, by the names of the public fields. A field without a text is absent. */
export type ProfileTexts = Readonly<Record<string, string>>;

export type Logo = { readonly sha256: string; readonly width: number; readonly height: number };

export type Profile = {
  readonly texts: ProfileTexts;
  readonly logo: Logo | undefined;
  /** `undefined` if the merchant never changed it. */
  readonly updatedAt: Date | undefined;
};

/** A merchant's own profile. Its first change creates it. */
type ProfileDocument = {
  _id: string;
  schema_version: number;
  /** Each write requires the revision that was read. */
  revision: number;
  /** JSON of the texts, encrypted because a sole trader's are personal data. */
  sealed_texts: string;
  logo?: Logo & { png: Binary };
  /** The last changes, by which a repeat is detected. Repeats arrive within minutes. */
  updates: { at: Date; operation_id: string; actor: StoredActor }[];
  updated_at: Date;
};

const updatesKept = 20;
/** The maximum number of attempts while others change the profile. */
const triesMax = 20;

const sealContext = (merchantId: string) => `${merchantId}|profile`;

/** The place of the profiles' encrypted texts. */
export const sealedProfiles: SealedPlace = {
  collection,
  reseal: ({ _id, sealed_texts: text }, sealer) =>
    resealTexts([{ path: "sealed_texts", text, context: sealContext(_id) }], sealer),
};

export type ProfileStore = ReturnType<typeof openProfiles>;

export function openProfiles(db: Db, sealer: Sealer) {
  const profiles = db.collection<ProfileDocument>(collection);
  type Read = Omit<ProfileDocument, "logo"> & { logo?: Logo };
  const toProfile = ({ _id, sealed_texts, logo, updated_at }: Read): Profile => ({
    texts: JSON.parse(sealer.open(sealed_texts, sealContext(_id))) as ProfileTexts,
    logo: logo && { sha256: logo.sha256, width: logo.width, height: logo.height },
    updatedAt: updated_at,
  });
  const find = async (_id: string): Promise<Read | null> =>
    profiles.findOne<Read>({ _id }, { projection: { "logo.png": 0 } });

  /** Changes a profile at its revision, once per operation. */
  const change = async (
    merchantId: string,
    { operationId, actor }: Change,
    at: Date,
    changeOf: (texts: ProfileTexts) => UpdateFilter<ProfileDocument>,
  ): Promise<Profile> => {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const found = await find(merchantId);
      if (found === null) {
        await insertOnce(profiles, emptyProfile(merchantId, at));
        continue;
      }
      const before = toProfile(found);
      if (found.updates.some((each) => each.operation_id === operationId)) return before;
      const update = changeOf(before.texts);
      const made = { at, operation_id: operationId, actor };
      const after = await profiles.findOneAndUpdate(
        { _id: merchantId, revision: found.revision },
        {
          ...update,
          $set: { ...update.$set, updated_at: at },
          $push: { updates: { $each: [made], $slice: -updatesKept } },
          $inc: { revision: 1 },
        },
        { returnDocument: "after", projection: { "logo.png": 0 } },
      );
      if (after !== null) return toProfile(after);
    }
    throw new Error("every attempt to change the profile conflicted with another write");
  };

  const emptyProfile = (merchantId: string, at: Date): ProfileDocument => ({
    _id: merchantId,
    schema_version: 1,
    revision: 0,
    sealed_texts: sealer.seal("{}", sealContext(merchantId)),
    updates: [],
    updated_at: at,
  });

  return {
    read: async (merchantId: string): Promise<Profile> => {
      const found = await find(merchantId);
      return found === null
        ? { texts: {}, logo: undefined, updatedAt: undefined }
        : toProfile(found);
    },

    /** Sets the texts. "" removes one, and the others stay. */
    setTexts: (merchantId: string, texts: ProfileTexts, by: Change, at: Date) =>
      change(merchantId, by, at, (before) => {
        const all = Object.entries({ ...before, ...texts }).filter(([, text]) => text !== "");
        const json = JSON.stringify(Object.fromEntries(all));
        return { $set: { sealed_texts: sealer.seal(json, sealContext(merchantId)) } };
      }),

    /** Sets the logo, or removes it. */
    setLogo: (merchantId: string, png: Png | undefined, by: Change, at: Date) =>
      change(merchantId, by, at, () => {
        if (png === undefined) return { $unset: { logo: "" } };
        const { bytes, width, height } = png;
        const sha256 = createHash("sha256").update(bytes).digest("hex");
        return { $set: { logo: { sha256, width, height, png: new Binary(bytes) } } };
      }),

    readLogo: async (merchantId: string) => {
      const found = await profiles.findOne({ _id: merchantId }, { projection: { logo: 1 } });
      const logo = found?.logo;
      return logo && { png: Uint8Array.from(logo.png.buffer), sha256: logo.sha256 };
    },
  };
}
