import { createTrust } from "@disburse/sandbox/trust.ts";

export const testTrust = createTrust();
