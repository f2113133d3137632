import type { BodyValues, PublicBody } from "@disburse/forms/field.ts";
import type { ErrorCode } from "../domain/errors.ts";
import type { QueryShape } from "../domain/list-query.ts";
import type { Scope } from "../domain/scope.ts";
import type { Component } from "./schema.ts";

/** What an operation is listed under. */
export type Tag =
  | "Beneficiaries"
  | "Depositors"
  | "Quotes"
  | "Payouts"
  | "Accounts"
  | "Webhook endpoints"
  | "Webhook deliveries"
  | "Webhook events";

/** What a POST or a PATCH takes. */
export type EndpointBody = {
  /** The table of its fields; none where it has no field. */
  readonly form?: PublicBody;
  /** It may be left out where each of its fields may be left out. */
  readonly optional?: boolean;
  /** Bodies to show beside those of the table. */
  readonly examples?: Readonly<Record<string, BodyValues>>;
};

/** What an operation answers with that is no JSON: a file, sent while it is made. */
export type FileFormat = {
  readonly mediaType: "text/csv";
  /** What it is called where it is saved. */
  readonly name: string;
  readonly description: string;
  /** Its first lines. */
  readonly example: string;
};

/** Whether operations of a method have a body, and are done once under an idempotency key. */
export function takesBody(method: Endpoint["method"]): boolean {
  return method === "POST" || method === "PATCH";
}

/**
 * One public operation as merchants are told of it: where it is reached, what a key must be
 * allowed, what it takes, answers and refuses.
 */
export type Endpoint = {
  /** `verbNoun`, unique: its name in the reference and in client libraries. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** With `:name` for a parameter. */
  readonly path: string;
  readonly scope: Scope;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  readonly body?: EndpointBody;
  readonly query?: QueryShape;
  /** What `data` of a success is, or the file that a success is. */
  readonly data: Component | FileFormat;
  /** Beside those that every operation of its method has; in the order of the checks. */
  readonly refusals: readonly ErrorCode[];
};
