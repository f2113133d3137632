import { invalidRequest, type Refused } from "@disburse/kernel/refusal.ts";
import { cleanText, textProblem } from "@disburse/kernel/text.ts";

export type Merchant = {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** An id is generated if none is chosen. */
export type Registration = { readonly id: string | undefined; readonly name: string };

/** The maximum length of a merchant's name. */
const nameMax = 255;
/** Characters that are safe in list cursors, logs and paths. */
const idPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

export function readRegistration(
  merchantId: string,
  sentName: string,
): Registration | Refused<"INVALID_REQUEST"> {
  const name = cleanText(sentName);
  const isNamed = name !== "" && name.length <= nameMax;
  const problem = isNamed ? textProblem(name) : `must be 1 to ${nameMax} characters`;
  const isId = merchantId === "" || idPattern.test(merchantId);
  const violations = [
    ...(isId
      ? []
      : [
          {
            field: "merchant_id",
            problem: "must be 1 to 128 letters, digits, '.', '_', ':' and '-'",
          },
        ]),
    ...(problem === undefined ? [] : [{ field: "name", problem }]),
  ];
  if (violations.length > 0) return invalidRequest(violations);
  return { id: merchantId === "" ? undefined : merchantId, name };
}
