import { createDispatcher } from "./dispatcher.ts";
import type { BankFormat } from "./format.ts";
import type { testRail } from "./test-rail.ts";

/**
 * Selects the files for which the test's writer throws: files with one of these payments, or with
 * too many payments.
 */
type Thrown = { readonly keys?: readonly string[]; readonly over?: number };

function throwing(format: BankFormat, { keys = [], over }: Thrown): BankFormat {
  return {
    ...format,
    write: async (file, payments) => {
      const isBad = payments.some(({ payment }) => keys.includes(payment._id));
      if (isBad || payments.length > (over ?? payments.length)) {
        throw new RangeError("personal data of Jane Doe");
      }
      return format.write(file, payments);
    },
  };
}

export function throwingDispatcher({ work }: ReturnType<typeof testRail>, thrown: Thrown) {
  return createDispatcher({ ...work, format: throwing(work.format, thrown) });
}
