import type { RailCallback } from "@disburse/payout/rails/rail.ts";
import type { Transfer } from "./state.ts";

type Outcome = RailCallback["status"];

/** What the rail reports of a transfer unasked. */
export type RailReport = {
  readonly key: string;
  readonly kind: Outcome["kind"];
  readonly reference: string;
  readonly amount: string;
  readonly currency: string;
};

/** The rail's own name, with the services and in its messages. */
export const railName = "simulated";
/** Stands for a signature that only the rail can make. */
export const railSignature = "signed by the rail";

/** A report as the rail's own message has it. */
export function messageOf(report: RailReport): Uint8Array {
  return Buffer.from(JSON.stringify(report));
}

/** Reads a message of the rail's; one that it did not sign is forged, whatever it says. */
export function readMessage(body: Uint8Array, signature: string): RailCallback | "forged" {
  if (signature !== railSignature) return "forged";
  const { key, kind, reference, amount, currency } = JSON.parse(
    Buffer.from(body).toString(),
  ) as RailReport;
  const status: Outcome = kind === "rejected" ? { kind } : { kind, reference };
  return { key, status, transferred: { amount, currency } };
}

/** What is true of a transfer: `amount` is decimal text. */
export function reportOf(
  { key, reference, currency }: Transfer,
  kind: Outcome["kind"],
  amount: string,
): RailReport {
  return kind === "rejected"
    ? { key, kind, reference: "", amount: "", currency: "" }
    : { key, kind, reference, amount, currency };
}
