import { expect, it } from "vitest";
import type { Instruction, Rail } from "./rail.ts";

/** A rail and the functions that its test provides for the contract test. */
export type RailUnderTest = {
  readonly rail: Rail;
  /** A transfer that the rail can send. Default: `instruction`. */
  readonly transfer?: Instruction;
  /** Advances time until the rail's transfers are settled. */
  settle(): Promise<void>;
  /** Counts the payments under a key in the rail's own records. */
  paid(key: string): Promise<number>;
  /** Returns a signed settlement callback. Absent if the rail sends no callbacks. */
  signed?(key: string): { readonly body: Uint8Array; readonly signature: string };
};

export const instruction: Instruction = {
  merchantId: "mer_1",
  referenceId: "order-1",
  remittanceInformation: "",
  purposeCode: "",
  currency: "USD",
  amount: 1_000n,
  transferMethod: "ACH",
  network: "",
  beneficiaryName: "Ada Lovelace",
  accountNumber: "123456781234",
  routingCodeType: "ACH CODE",
  routingCodeValue: "021000021",
  destinationCountry: "US",
  accountType: "Individual",
  bankAccountType: "",
  address: {
    ...{ street: "1 Main Street", city: "New York", state: "NY" },
    ...{ postcode: "10001", countryCode: "US" },
  },
};

let keys = 0;
/** Returns a payout id that no rail has seen. */
export const freshKey = () => `po_${String(++keys).padStart(26, "0")}`;

/** Tests the guarantees of every rail. `open` returns the rail under test. */
export function keepsRailContract(open: () => RailUnderTest): void {
  it("declares what it can send, and this among it", async () => {
    const { rail, transfer = instruction } = open();
    expect(rail.name).toMatch(/^[a-z0-9-]{1,64}$/);
    expect(rail.capabilities.currencies).toContain(transfer.currency);
    expect(rail.capabilities.transferMethods).toContain(transfer.transferMethod);
    expect(await rail.available()).toBe(true);
    if (rail.preflight !== undefined) {
      expect(await rail.preflight(transfer)).toEqual({ kind: "ok" });
    }
  });

  it("has not received a key that it was never sent", async () => {
    const { rail, paid } = open();
    const key = freshKey();
    expect((await rail.query(key)).status).toEqual({ kind: "not_received" });
    expect(await paid(key)).toBe(0);
  });

  it("pays a key once, however often it is submitted, also at once", async () => {
    const { rail, settle, paid, transfer = instruction } = open();
    const key = freshKey();
    await Promise.all([1, 2, 3].map(() => rail.submit(key, transfer)));
    await settle();
    const again = await rail.submit(key, { ...transfer, amount: 999_999n });
    expect(again.status.kind).toBe("settled");
    expect(await paid(key)).toBe(1);
  });

  it("tells the same outcome and reference, whoever asks and how often", async () => {
    const { rail, settle, transfer = instruction } = open();
    const key = freshKey();
    const first = await rail.submit(key, transfer);
    expect(["accepted", "settled"]).toContain(first.status.kind);
    await settle();
    const { status } = await rail.query(key);
    expect(status).toMatchObject({
      kind: "settled",
      reference: expect.stringMatching(/^[\x21-\x7e]+$/),
    });
    expect((await rail.query(key)).status).toEqual(status);
    expect((await rail.submit(key, transfer)).status).toEqual(status);
  });

  it("never pays a withdrawn key, even if it is submitted afterwards", async () => {
    const { rail, settle, paid, transfer = instruction } = open();
    // Operators check the payouts of a rail without `withdraw`.
    if (rail.withdraw === undefined) return;
    const key = freshKey();
    expect([await rail.withdraw(key), await rail.withdraw(key)]).toEqual([true, true]);
    expect((await rail.query(key)).status).toEqual({ kind: "rejected" });
    expect((await rail.submit(key, transfer)).status.kind).toBe("rejected");
    await settle();
    expect((await rail.query(key)).status.kind).toBe("rejected");
    expect(await paid(key)).toBe(0);
  });

  it("does not withdraw a paid transfer", async () => {
    const { rail, settle, paid, transfer = instruction } = open();
    if (rail.withdraw === undefined) return;
    const key = freshKey();
    await rail.submit(key, transfer);
    await settle();
    expect(await rail.withdraw(key)).toBe(false);
    expect(await paid(key)).toBe(1);
  });

  it("reads its own message, and none that somebody else signed or changed", () => {
    const { rail, signed } = open();
    const key = freshKey();
    if (signed === undefined) {
      const body = new TextEncoder().encode(key);
      expect(rail.readCallback(body, "")).toBe("forged");
      return;
    }
    const { body, signature } = signed(key);
    expect(rail.readCallback(body, signature)).toMatchObject({ key, status: { kind: "settled" } });
    const changed = Uint8Array.from(body);
    changed[changed.length - 2] = (changed.at(-2) ?? 0) ^ 1;
    for (const [forgedBody, forgedSignature] of [
      [changed, signature],
      [body, ""],
      [body, `${signature}0`],
      [body, signature.slice(0, -1)],
      [body, "x".repeat(signature.length)],
      [new Uint8Array(), signature],
    ] as const) {
      expect(rail.readCallback(forgedBody, forgedSignature)).toBe("forged");
    }
  });
}
