import { create, type DescMessage, fromJson, type MessageShape } from "@bufbuild/protobuf";
import {
  type Violation,
  ViolationSchema,
} from "@disburse/contracts/disburse/type/v1/refusal_pb.ts";
import type { PublicBody } from "@disburse/forms/field.ts";
import { readBody } from "@disburse/forms/read-body.ts";
import type { JsonObject } from "../domain/json-body.ts";

/**
 * A public body as the message that its fields are part of, with what could not be read. The owning
 * service judges both together, in its own order of checks.
 */
export function readMessage<Desc extends DescMessage>(
  form: PublicBody,
  schema: Desc,
  body: JsonObject,
): { message: MessageShape<Desc>; unreadable: Violation[] } {
  const { values, unreadable } = readBody(form, body);
  return {
    message: fromJson(schema, values),
    unreadable: unreadable.map((violation) => create(ViolationSchema, violation)),
  };
}
