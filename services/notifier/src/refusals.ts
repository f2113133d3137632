import { orThrowBy, publicRefusals, type RefusalTable } from "@disburse/chassis/rpc/refusal.ts";
import type { NotifierRefusal } from "./domain/refusal.ts";

/** Every refusal of this service, mapped once. */
export const refusals: RefusalTable<NotifierRefusal> = publicRefusals;

/** The answer of a rule, or its refusal thrown as the RPC's error. */
export const accepted = orThrowBy(refusals);
