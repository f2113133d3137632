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

/**
 * The maximum size of a message, as is usual for gRPC. Needed because a body is read before the
 * token is checked.
 */
export const messageBytesMax = 4 * 1024 * 1024;

/** Returns the maximum request size of a method, if its contract names one. */
export function requestBytesMax(method: DescMethod): number {
  return getOption(method, access).requestBytesMax || messageBytesMax;
}

/** Parses a body. Throws INTERNAL for a malformed one, as the library connect does. */
export function parseMessage<D extends DescMessage>(schema: D, body: Uint8Array): MessageShape<D> {
  try {
    return fromBinary(schema, body);
  } catch (error) {
    throw internal("parse binary", error);
  }
}

/** Serializes a message. Throws INTERNAL if a field does not fit its type. */
export function serializeMessage<D extends DescMessage>(schema: D, message: MessageInitShape<D>) {
  try {
    return toBinary(schema, create(schema, message));
  } catch (error) {
    throw internal("serialize binary", error);
  }
}

/** Joins the chunks of a body. A single chunk is returned without copying. */
export function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
}

/**
 * Returns the error for a message that is too large, with its size if known. The text is the same
 * as in the library connect.
 */
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
