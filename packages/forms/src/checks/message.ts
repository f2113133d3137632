import {
  type DescMessage,
  fromJson,
  type JsonObject,
  type MessageShape,
  toJson,
} from "@bufbuild/protobuf";
import {
  invalidRequest,
  isRefused,
  type Refused,
  type Violation,
} from "@disburse/kernel/refusal.ts";
import type { BodyValues, CheckContext, PublicBody } from "../fields/field.ts";
import { checkBody } from "./body.ts";
import { fieldsOf } from "./read.ts";

export type MessageContext = CheckContext & {
  /** Fields that the gateway could not put into the message. */
  readonly unreadable: readonly Violation[];
};

/**
 * Checks a contract's message against the form of the public body that it carries. Returns the
 * message as JSON with the contract's field names. The body's fields are trimmed, NFC-composed and
 * completed with defaults. Body fields that the form does not have are removed. All other fields
 * stay unchanged. A refusal names every failing field.
 */
export function checkedJson<Desc extends DescMessage>(
  body: PublicBody,
  schema: Desc,
  message: MessageShape<Desc> | undefined,
  context: MessageContext,
): JsonObject | Refused<"INVALID_REQUEST"> {
  const json: BodyValues =
    message === undefined
      ? {}
      : (toJson(schema, message, { useProtoFieldName: true }) as BodyValues);
  const sent: BodyValues = {};
  const names = contractNames(body, schema);
  for (const [name, contractName] of names) {
    const value = json[contractName];
    if (value === undefined) continue;
    sent[name] = value;
    delete json[contractName];
  }
  const result = checkBody(body, sent, context);
  if (Array.isArray(result)) return invalidRequest(result);
  for (const [name, contractName] of names) {
    const value = result.values[name];
    if (value !== undefined) json[contractName] = value;
  }
  return json as JsonObject;
}

/** Like `checkedJson`, but returns the contract's message. */
export function checkedMessage<Desc extends DescMessage>(
  body: PublicBody,
  schema: Desc,
  message: MessageShape<Desc> | undefined,
  context: MessageContext,
): MessageShape<Desc> | Refused<"INVALID_REQUEST"> {
  const checked = checkedJson(body, schema, message, context);
  return isRefused(checked) ? checked : fromJson(schema, checked);
}

/**
 * Returns pairs of public and contract field names. They differ only where a `json_name` is set.
 */
function contractNames(body: PublicBody, schema: DescMessage): (readonly [string, string])[] {
  return fieldsOf(body).map(({ name }) => {
    const field = schema.fields.find((each) => each.name === name || each.jsonName === name);
    if (field === undefined) throw new Error(`${schema.typeName} has no field for ${name}`);
    return [name, field.name];
  });
}
