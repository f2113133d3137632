import { createHash, type Hash } from "node:crypto";
import { type DescMessage, type MessageShape, toBinary } from "@bufbuild/protobuf";
import type { Mutation } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";

/** A stream of requests whose first message was already read. */
export type ReadStream = {
  /** The mutation in the first message. `undefined` if that message has none. */
  readonly mutation: Mutation | undefined;
  /** Absent if the stream is empty. */
  readonly first: object | undefined;
  /** All messages, including the first. */
  readonly messages: AsyncIterable<object>;
  /**
   * Returns the SHA-256, in base64url, of the stream's type and every message read so far, each
   * preceded by its length. The mutation is left out.
   */
  readonly digest: () => string;
};

/** Reads the first message of a stream immediately, and the others on demand. */
export async function readStream(
  schema: DescMessage,
  requests: AsyncIterable<object>,
): Promise<ReadStream> {
  const source = requests[Symbol.asyncIterator]();
  const hash = createHash("sha256").update(`${schema.typeName}\n`);
  const first = await source.next();
  const opened = first.done === true ? undefined : openHeader(schema, first.value);
  async function* messages() {
    if (opened === undefined || first.done === true) return;
    add(hash, schema, opened.rest);
    yield first.value;
    for (let next = await source.next(); next.done !== true; next = await source.next()) {
      add(hash, schema, next.value);
      yield next.value;
    }
  }
  return {
    mutation: opened?.mutation,
    first: first.done === true ? undefined : first.value,
    messages: messages(),
    digest: () => hash.copy().digest("base64url"),
  };
}

function add(hash: Hash, schema: DescMessage, message: object): void {
  const bytes = toBinary(schema, message as MessageShape<DescMessage>);
  hash.update(`${bytes.length}\n`).update(bytes);
}

type Header = { readonly mutation?: Mutation | undefined };
type Chosen = { readonly case: string; readonly value: object };

/** Splits a message into the mutation from its header and the remaining fields. */
function openHeader({ oneofs }: DescMessage, message: object) {
  for (const { localName } of oneofs) {
    const chosen = (message as Readonly<Record<string, Chosen | undefined>>)[localName];
    if (typeof chosen?.value !== "object" || !("mutation" in chosen.value)) continue;
    const { mutation } = chosen.value as Header;
    const value = { ...chosen.value, mutation: undefined };
    return { mutation, rest: { ...message, [localName]: { ...chosen, value } } };
  }
  return { mutation: undefined, rest: message };
}
