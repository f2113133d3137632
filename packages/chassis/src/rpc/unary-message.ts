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

/** The largest request of a method, where its contract names one. */
export function requestBytesMax(method: DescMethod): number {
  return getOption(method, access).requestBytesMax || messageBytesMax;
}

/** The message of a body; INTERNAL where it is none, as connect answers. */
export function parseMessage<D extends DescMessage>(schema: D, body: Uint8Array): MessageShape<D> {
  try {
    return fromBinary(schema, body);
  } catch (error) {
    throw internal("parse binary", error);
  }
}

/** A message's body; INTERNAL where a field does not fit its type. */
export function serializeMessage<D extends DescMessage>(schema: D, message: MessageInitShape<D>) {
  try {
    return toBinary(schema, create(schema, message));
  } catch (error) {
    throw internal("serialize binary", error);
  }
}

/** The chunks of a body in one piece, uncopied where there is but one. */
export function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
}

/** A message past the bound, and its size where that is known, in connect's words. */
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
