/**
 * Where a file is at the bank: under its own name, only under the one that it is written under,
 * nowhere that the bank lets us see, or the bank does not say.
 */
export type Place = "present" | "part" | "absent" | "not-said";

/** What follows for a file whose upload may or may not have come to its end. */
export type AfterCrash = "sent" | "send-again" | "ask-operator";

/**
 * What to do after a crash between the intent to send a file and the knowledge that it was sent. A
 * file under its temporary name was never taken. One that is not there may have been taken away and
 * paid: the same bytes go again only to a bank that refuses duplicates by its handbook.
 */
export function afterCrash(place: Place, refusesDuplicates: boolean): AfterCrash {
  if (place === "present") return "sent";
  if (place === "part" || refusesDuplicates) return "send-again";
  return "ask-operator";
}
