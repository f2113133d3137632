import type { Entry, Payout } from "./documents.ts";
import { postsToPlatform } from "./entry-check.ts";
import { compare, decimalOf, major, minorOf, plus, times } from "./exact.ts";
import type { Expect } from "./finding.ts";

/** Entries of the rail account for each stage of a payout that is paid from such an account. */
const endings: Readonly<Record<string, readonly string[]>> = {
  awaiting_approval: [""],
  queued: ["", "hold"],
  awaiting_funds: ["", "hold"],
  submitting: ["hold"],
  processing: ["hold"],
  unknown: ["hold"],
  cancelling: ["hold"],
  concluding: ["", "hold", "hold post", "hold release", "release"],
  settled: ["hold post"],
  returning: ["hold post", "hold post return"],
  rejected: ["hold release", "release"],
  cancelled: ["hold release", "release"],
  returned: ["hold post return"],
};

type Entries = Readonly<Record<string, Entry | undefined>>;

/**
 * Requires that the stage and amounts match the entries of the rail account. A payout without a
 * rail account must have no such entries.
 */
export function checkRailMoney(payout: Payout, entries: Entries, expect: Expect): void {
  const { stage, short = "0" } = payout.progress;
  const steps = ["hold", "post", "release", "return"];
  const booked = steps.filter((step) => entries[`rail_${step}`] !== undefined).join(" ");
  const allowed = payout.funded === true ? (endings[stage] ?? []) : [""];
  expect(4, allowed.includes(booked), `is ${stage}, but its rail account has ${booked}`);
  const paid = minorOf(payout.receiving_minor);
  for (const step of steps) {
    const entry = entries[`rail_${step}`];
    if (entry === undefined) continue;
    expect(4, entry.currency === payout.destination, `its rail_${step} is of another currency`);
    const amount = major(minorOf(entry.amount), payout.destination);
    const missing = step === "return" ? decimalOf(short) : { units: 0n, scale: 0 };
    const isNothing = step === "release" && entries.rail_hold === undefined;
    const whole = major(isNothing ? 0n : paid, payout.destination);
    expect(4, compare(plus(amount, missing), whole) === 0, `its rail_${step} is of another amount`);
  }
}

/**
 * Requires that a short return costs the right amount. The platform bears exactly the difference,
 * or the merchant bears the least amount that covers it.
 */
export function checkShort(payout: Payout, back: Entry, expect: Expect): void {
  const { destination, source, progress } = payout;
  const short = decimalOf(progress.short ?? "0");
  const less = { ...short, units: -short.units };
  const paid = major(minorOf(payout.receiving_minor), destination);
  const arrived = plus(paid, less);
  const isArrived = postsToPlatform(back, `platform:settlement/${destination}`, {
    ...arrived,
    units: -arrived.units,
  });
  expect(1, isArrived, "its return books another amount than was returned");
  const withheld = minorOf(payout.source_minor) - minorOf(back.amount);
  const isMerchants = payout.return_charges === "merchant";
  const cost = isMerchants ? { units: 0n, scale: 0 } : less;
  const isCost = postsToPlatform(back, `platform:charges/${destination}`, cost);
  expect(1, isCost, "its return books other charges than its own");
  if (!isMerchants) {
    expect(4, withheld === 0n, "the platform bears the charges, but the merchant paid some");
    return;
  }
  const worth = (minor: bigint) => times(major(minor, source), decimalOf(payout.exchange_rate));
  const covers = compare(worth(withheld), short) >= 0 && compare(worth(withheld - 1n), short) < 0;
  expect(4, covers, "the merchant bears another amount than the missing one");
}
