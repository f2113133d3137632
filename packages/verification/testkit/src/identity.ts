import { createTrust } from "@disburse/sandbox/trust.ts";

/** The keys of all services that tests of this process run, and of the persons who call them. */
export const testTrust = createTrust();
