import { type Decimal, multiplyDecimals, rescale } from "@disburse/kernel/decimal.ts";

/** Whether a rate is away from another by more than a share of that: 0.1 is a tenth. */
export function movesMoreThan(share: Decimal, from: Decimal, to: Decimal): boolean {
  const allowed = multiplyDecimals(from, share);
  const scale = Math.max(from.scale, to.scale, allowed.scale);
  const [before, after] = [rescale(from, scale), rescale(to, scale)];
  const moved = after > before ? after - before : before - after;
  return moved > rescale(allowed, scale);
}
