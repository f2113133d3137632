import { createHmac, timingSafeEqual } from "node:crypto";
import { failureCodes } from "@disburse/kernel/failure.ts";
import type { RailCallback } from "@disburse/rail/rail.ts";
import { z } from "zod";

/** The JSON body of the sandbox rail's callback. */
const messageSchema = z.object({
  key: z.string().min(1).max(64),
  outcome: z.enum(["settled", "rejected", "returned"]),
  reference: z.string().regex(/^[\x21-\x7e]{1,128}$/),
  /** Decimal text in the destination currency. */
  amount: z.string().max(64),
  currency: z.string().max(32),
  /** The reason of a rejection or return. */
  failure: z
    .object({ code: z.enum(failureCodes), railCode: z.string().max(32).optional() })
    .transform(({ code, railCode }) => ({ code, ...(railCode !== undefined && { railCode }) }))
    .optional(),
});

/** A callback before it is signed. */
export type SandboxMessage = z.output<typeof messageSchema>;

/** A signed callback. `body` has its exact bytes. */
export type SignedMessage = { readonly body: Uint8Array; readonly signature: string };

/** Signs a callback: HMAC-SHA256 of the body, as `sha256=` and hexadecimal digits. */
export function signMessage(message: SandboxMessage, secret: string): SignedMessage {
  const body = new TextEncoder().encode(JSON.stringify(message));
  return { body, signature: signatureOf(body, secret) };
}

/** Reads a callback and checks its signature. */
export function readMessage(
  body: Uint8Array,
  signature: string,
  secret: string,
): RailCallback | "forged" | "unreadable" {
  const given = Buffer.from(signature);
  const expected = Buffer.from(signatureOf(body, secret));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return "forged";
  const parsed = messageSchema.safeParse(jsonOf(body));
  if (!parsed.success) return "unreadable";
  const { key, amount, currency } = parsed.data;
  return { key, status: statusOf(parsed.data), transferred: { amount, currency } };
}

function statusOf({ outcome, reference, failure }: SandboxMessage): RailCallback["status"] {
  if (outcome === "settled") return { kind: outcome, reference };
  const why = failure === undefined ? {} : { failure };
  return outcome === "rejected" ? { kind: outcome, ...why } : { kind: outcome, reference, ...why };
}

function signatureOf(body: Uint8Array, secret: string): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    // The message schema refuses `undefined`.
    return undefined;
  }
}
