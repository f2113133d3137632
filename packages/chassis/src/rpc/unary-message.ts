import {
  create,
  type DescMessage,
  type DescMethod,
  fromBinary,
  getOption,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { access } from "@disburse/contracts/disburse/type/v1/access_pb.ts";

/** gRPC's usual bound of a message; a body is read before the token is checked. */
export const messageBytesMax = 4 * 1024 * 1024;

/** The largest request of a method, if its contract names one. */
export function requestBytesMax(method: DescMethod): number {
  return getOption(method, access).requestBytesMax || messageBytesMax;
}

/** Parses a body; throws INTERNAL for a malformed one, as connect does. */
export function parseMessage<D extends DescMessage>(schema: D, body: Uint8Array): MessageShape<D> {
  try {
    return fromBinary(schema, body);
  } catch (error) {
    throw internal("parse binary", error);
  }
}

/** Serializes a message; throws INTERNAL if a field does not fit its type. */
export function serializeMessage<D extends DescMessage>(schema: D, message: MessageInitShape<D>) {
  try {
    return toBinary(schema, create(schema, message));
  } catch (error) {
    throw internal("serialize binary", error);
  }
}

/** Joins the chunks of a body; a single chunk is not copied. */
export function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
}

/** The error of a message over the bound, and its size if known, in connect's words. */
export function tooLarge(max: number, size?: number): ConnectError {
  const message = size === undefined ? "message size" : `message size ${size}`;
  return new ConnectError(
    `${message} is larger than configured readMaxBytes ${max}`,
    Code.ResourceExhausted,
  );
}

function internal(what: string, cause: unknown): ConnectError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ConnectError(`${what}: ${reason}`, Code.Internal, undefined, [], cause);
}
