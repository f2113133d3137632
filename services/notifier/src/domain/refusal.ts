/** Every expected "no" of the notifier; mapped once, in `refusals.ts`. */
export type NotifierRefusal = "INVALID_REQUEST" | "RECORD_NOT_FOUND";
