import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { resealTexts, type SealedPlace } from "@disburse/chassis/crypto/resealing.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import { otherContent } from "@disburse/kernel/refusal.ts";
import { Binary } from "mongodb";
import { type CheckedFile, sha256Of } from "./file.ts";
import type { MediaType } from "./file-type.ts";

/** A stored file, without its content. It never changes and is never removed. */
export type StoredFile = {
  /** Chosen by the owner's operation, so that a repeat stores nothing. */
  readonly id: string;
  /** The id of the record that the file belongs to. */
  readonly owner: string;
  readonly name: string;
  readonly mediaType: MediaType;
  readonly size: number;
  readonly sha256: string;
  readonly addedBy: string;
  readonly createdAt: Date;
};

type Added = Pick<StoredFile, "id" | "owner" | "addedBy" | "createdAt">;

/**
 * The collection `files`, kept forever. `sealed` has the name, the hash and the content's key. A
 * rotation of keys seals only this text again.
 */
type FileDocument = {
  _id: string;
  schema_version: number;
  owner: string;
  media_type: MediaType;
  size: number;
  /** The id of the content. Each attempt to store a file writes a content of its own. */
  content: string;
  sealed: string;
  added_by: string;
  created_at: Date;
};

type Sealed = { readonly name: string; readonly sha256: string; readonly key: string };

/** The collection `file_contents`: a file's bytes, encrypted under a key that only the file has. */
type ContentDocument = { _id: string; schema_version: number; bytes: Binary };

const schemaVersion = 1;
const sealContext = (owner: string, id: string) => `${owner}|${id}|file`;

export const sealedFiles: SealedPlace = {
  collection: "files",
  reseal: (document, sealer) => {
    const { _id, owner, sealed } = document as unknown as FileDocument;
    return resealTexts(
      [{ path: "sealed", text: sealed, context: sealContext(owner, _id) }],
      sealer,
    );
  },
};

export type FileStore = ReturnType<typeof openFileStore>;

/** Opens a service's files. */
export function openFileStore({ db }: Pick<Database, "db">, sealer: Sealer) {
  const files = db.collection<FileDocument>("files");
  const contents = db.collection<ContentDocument>("file_contents");
  const open = (document: FileDocument): { file: StoredFile; key: Buffer } => {
    const { _id: id, owner, size, media_type: mediaType, added_by: addedBy } = document;
    const text = sealer.open(document.sealed, sealContext(owner, id));
    const { name, sha256, key } = JSON.parse(text) as Sealed;
    const file = { id, owner, name, mediaType, size, sha256, addedBy };
    return { file: { ...file, createdAt: document.created_at }, key: Buffer.from(key, "base64") };
  };
  const find = async (id: string) => {
    const found = await files.findOne({ _id: id });
    return found === null ? undefined : { ...open(found), content: found.content };
  };
  return {
    /**
     * Stores a file once. A repeat with the same name and content returns the first result. The
     * content is written first. It cannot be decrypted without its file.
     */
    add: async (added: Added, checked: CheckedFile): Promise<StoredFile | typeof otherContent> => {
      const { name, sha256, mediaType, content } = checked;
      const isSame = (file: StoredFile) => file.sha256 === sha256 && file.name === name;
      const known = await find(added.id);
      if (known !== undefined) return isSame(known.file) ? known.file : otherContent;
      const { id, owner, addedBy, createdAt } = added;
      const key = randomBytes(keyLength);
      const contentId = randomBytes(16).toString("hex");
      const context = sealContext(owner, id);
      const bytes = new Binary(encrypt(key, content, context));
      await contents.insertOne({ _id: contentId, schema_version: schemaVersion, bytes });
      const sealed: Sealed = { name, sha256, key: key.toString("base64") };
      const isFirst = await insertOnce(files, {
        _id: id,
        schema_version: schemaVersion,
        owner,
        media_type: mediaType,
        size: content.length,
        content: contentId,
        sealed: sealer.seal(JSON.stringify(sealed), context),
        added_by: addedBy,
        created_at: createdAt,
      });
      if (isFirst) return { ...added, name, mediaType, size: content.length, sha256 };
      // A concurrent attempt stored the file first, with a content of its own.
      await contents.deleteOne({ _id: contentId });
      const first = await find(id);
      if (first === undefined) throw new Error("a file was neither found nor stored");
      return isSame(first.file) ? first.file : otherContent;
    },

    /** Returns files without their contents, oldest first. */
    list: async (ids: readonly string[]): Promise<StoredFile[]> => {
      if (ids.length === 0) return [];
      const found = await files.find({ _id: { $in: [...ids] } }).toArray();
      const listed = found.map((each) => open(each).file);
      return listed.toSorted((one, other) => +one.createdAt - +other.createdAt);
    },

    /** Returns a file with its content. Throws if the content was changed. */
    read: async (id: string): Promise<{ file: StoredFile; content: Buffer } | undefined> => {
      const found = await find(id);
      if (found === undefined) return undefined;
      const { file, key } = found;
      const stored = await contents.findOne({ _id: found.content });
      if (stored === null) throw new Error(`the content of file ${id} is missing`);
      const content = decrypt(key, Buffer.from(stored.bytes.buffer), sealContext(file.owner, id));
      if (sha256Of(content) !== file.sha256)
        throw new Error(`the content of file ${id} was changed`);
      return { file, content };
    },
  };
}

const algorithm = "aes-256-gcm";
const [keyLength, nonceLength, tagLength] = [32, 12, 16];

/** Format: nonce ‖ tag ‖ ciphertext. The context is authenticated. */
function encrypt(key: Buffer, plain: Buffer, context: string): Buffer {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

function decrypt(key: Buffer, packed: Buffer, context: string): Buffer {
  const decipher = createDecipheriv(algorithm, key, packed.subarray(0, nonceLength));
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(packed.subarray(nonceLength, nonceLength + tagLength));
  return Buffer.concat([
    decipher.update(packed.subarray(nonceLength + tagLength)),
    decipher.final(),
  ]);
}
