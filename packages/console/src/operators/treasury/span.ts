import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { endOf, startOf } from "../../ui/rules/times.ts";

const day = /^\d{4}-\d{2}-\d{2}$/;

/** Converts days of the person's time zone to a list's time limits. The end is exclusive. */
export const spanOf = (from = "", to = "") => ({
  ...(day.test(from) && { from: timestampFromDate(startOf(from)) }),
  ...(day.test(to) && { to: timestampFromDate(endOf(to)) }),
});
